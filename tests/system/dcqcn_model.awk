# dcqcn_model - where DCQCN settles with N equal flows at one port, by two models that know nothing of our code; lengths are those of frames
# on the link. The paper's numbers for 40 Gb/s.
#
#   awk -v n=FLOWS -v bytes=PACKET_ON_THE_LINK -f dcqcn_model.awk        prints p and queue of the fluid model, p and queue of renewals
#
# Fluid: the fixed point of [Zhu et al., SIGCOMM 2015, section 5.1], solved for p, the share of packets that is marked:
#     alpha = 1 - (1-p)^(tau' R),   P = 1 - (1-p)^(tau R)                         R = C / N, in packets per second
#     (R_T - R) P / tau = R_AI R ((1-p)^(F B) b + (1-p)^(F T R) t)                b = p / ((1-p)^-B - 1),  t = p / ((1-p)^-(T R) - 1)
#     R alpha P / (2 tau) = (R_T - R) / 2 R (b + t)
# It lets a CNP come at any moment; a real notification point is silent for tau = 50 us after each.
#
# Renewals: a flow at rate R is cut every tau + X, X exponential with mean 1 / (p R). In between the timer runs out k times: the rate falls by
# alpha R / 2, half of what lacks comes back each time, and from the F-th on R_AI is added to the target. Settled means that it
# gains nothing from cut to cut on average. alpha decays k times and is raised once. The byte counter has no time to run out.
#
# The queue marks p at kmin + p / pmax (kmax - kmin).

function power(base, exponent) { return exp(exponent * log(base)) }
function queue(p) { return 5000 + p / 0.01 * 195000 }

function fluid_excess(p,    alpha, cuts, b, t, lack) {
	alpha = 1 - power(1 - p, alpha_timer * rate)
	cuts = 1 - power(1 - p, interval * rate)
	b = p / (power(1 - p, -counter) - 1)
	t = p / (power(1 - p, -timer * rate) - 1)
	lack = interval / cuts * ai * rate * (power(1 - p, f * counter) * b + power(1 - p, f * timer * rate) * t)
	return lack / 2 * rate * (b + t) - rate * alpha * cuts / (2 * interval)
}

# the timer has run out k times or more before the next cut
function at_least(k, marks) { return k * timer > interval ? exp(-marks * (k * timer - interval)) : 1 }

function renewal_excess(p,    marks, k, share, decay, alpha, lack, gain, sum) {
	marks = -log(1 - p) * rate
	for (k = 0; at_least(k, marks) > 1e-12; k++)
		decay += (at_least(k, marks) - at_least(k + 1, marks)) * power(1 - g, k)
	alpha = g * decay / (1 - (1 - g) * decay)
	lack = alpha * rate / 2
	for (k = 0; at_least(k, marks) > 1e-12; k++) {
		share = at_least(k, marks) - at_least(k + 1, marks)
		sum += share * (gain - lack)
		gain += k + 1 >= f ? ai : 0
		lack = (lack + (k + 1 >= f ? ai : 0)) / 2
	}
	return sum
}

BEGIN {
	rate = 40e9 / 8 / bytes / n; ai = 40e6 / 8 / bytes; counter = 10e6 / bytes
	interval = 50e-6; timer = alpha_timer = 55e-6; f = 5; g = 1 / 256
	low = 1e-6; high = 0.5
	while (high / low > 1.00001) {
		p = sqrt(low * high)
		if (fluid_excess(p) > 0) low = p; else high = p
	}
	fluid = low
	low = 1e-5; high = 0.5
	while (high / low > 1.00001) {
		p = sqrt(low * high)
		if (renewal_excess(p) > 0) low = p; else high = p
	}
	printf "%.6f %.0f %.6f %.0f\n", fluid, queue(fluid), low, queue(low)
}
