# Completion of heddle for bash, with the package bash-completion. `heddle complete-word` has the
# candidates.
_heddle() {
	local cur prev words cword line
	_get_comp_words_by_ref -n := cur prev words cword || return
	COMPREPLY=()
	while IFS= read -r line; do
		if [ "$line" = :files ]; then
			compopt -o filenames 2>/dev/null
			while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
		else
			COMPREPLY+=("$line")
		fi
	done < <("${words[0]}" complete-word "${words[@]:1:cword}" 2>/dev/null)
	__ltrim_colon_completions "$cur"
}
complete -F _heddle heddle
