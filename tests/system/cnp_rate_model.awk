# cnp_rate_model - the rate of a queue pair that gets a CNP every tau (or with the first packet after that), by the rules of DCQCN [Zhu et
# al., SIGCOMM 2015, section 5]; it knows nothing of our code. Rates are those of frames on the link, alpha decays every 55 us, g is 1/256.
#
#   awk -v tau=S -v timer=S -v f=N -v ai=BPS -v lowest=BPS -v first=BPS -v bytes=PACKET_ON_THE_LINK -v from=S -v until=S -f cnp_rate_model.awk
#
# It prints three numbers: the mean rate from `from` until `until`, CNP by CNP, of a queue pair that begins with `first`; the mean rate where cuts
# and increases balance, of which the floor is `lowest`; and the CNPs until then.
#
# Balance: between two CNPs the timer runs out k = floor(tau / timer) times, and alpha decays n = floor(tau / 55 us) times:
#     alpha = g (1-g)^n / (1 - (1-g)^(n+1))
#     R alpha / 2 / 2^k = ai (m - 1 + 2^-m),   m = k - f + 1 increases; without any, k < f, each CNP takes more than comes back
# Beyond the rate of the link, and once the byte counter has time to run out, it does not hold.

function most(a, b) { return a > b ? a : b }

# cycle(R, ALPHA, GAP) - from a CNP on at rate R; `rate` is that of its end. Returns the bits sent from `from` to `until`, with `now` as its begin
function cycle(r, alpha, gap,    k, target, begin, end, bits) {
	target = r
	rate = most(lowest, r * (1 - alpha / 2))
	for (k = 1; ; k++) {
		begin = most(now + (k - 1) * timer, from)
		end = now + (k * timer < gap ? k * timer : gap)
		if (end > until) end = until
		if (end > begin) bits += rate * (end - begin)
		if (k * timer > gap) return bits
		if (k >= f) target += ai
		rate = (rate + target) / 2
	}
}

BEGIN {
	g = 1 / 256; rate = first; alpha = 1
	for (now = 0; now < until; now += gap) {
		packet = bytes * 8 / rate
		gap = packet * most(1, int(tau / packet + 0.999999))
		cnps++
		sum += cycle(rate, alpha, gap)
		alpha = ((1 - g) * alpha + g) * (1 - g) ^ int(gap / 55e-6)
	}
	course = sum / (until - from)

	k = int(tau / timer); m = k - f + 1; n = int(tau / 55e-6)
	alpha = g * (1 - g) ^ n / (1 - (1 - g) ^ (n + 1))
	balance = m > 0 ? ai * (m - 1 + 2 ^ -m) * 2 ^ (k + 1) / alpha : lowest
	from = now = 0; until = tau
	if (tau > 0) balance = cycle(most(balance, lowest), alpha, tau) / tau
	printf "%.0f %.0f %d\n", course, balance, cnps
}
