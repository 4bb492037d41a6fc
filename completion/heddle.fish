# Completion of heddle for fish. `heddle complete-word` has the candidates.
function __heddle_candidates
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    for candidate in ($words[1] complete-word $words[2..-1] "$last" 2>/dev/null)
        if test "$candidate" = :files
            __fish_complete_path "$last"
        else
            echo $candidate
        end
    end
end
complete -c heddle -f -a '(__heddle_candidates)'
