/*  host_features - what a NIC does for the interface of its host, as `ethtool -k` names it.
 *
 *  An interface of a veth pair offers more than a packet socket can describe: the kernel would pass
 *  super-frames of tunnels and of SCTP uncut, which the NIC has to drop. Without these features the
 *  kernel cuts them itself. TCP, UDP and their checksums are left to the NIC (host_offload.h). */
#ifndef HEDDLE_ORCHESTRATOR_HOSTS_HOST_FEATURES_H
#define HEDDLE_ORCHESTRATOR_HOSTS_HOST_FEATURES_H

/** host_features_limit() - switches off at @interface, in the network namespace of the caller, what
 *  the NIC cannot do. Where the kernel refuses that, nothing changes.
 *  Return: 0; -errno: no memory, or no socket to ask by. */
int host_features_limit(const char *interface);

#endif
