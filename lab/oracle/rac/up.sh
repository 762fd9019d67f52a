#!/usr/bin/env bash
# Starts the two RAC nodes of compose.yaml. UNTESTED; README.md says what it needs. The first start installs for an hour or more.
set -euo pipefail
cd "$(dirname "$0")"

die() {
    echo "$*" >&2
    exit 1
}

set -o allexport
# shellcheck source=settings.env
source settings.env
set +o allexport

[[ $(id -u) -eq 0 ]] || die "Oracle's RAC containers need podman as root: run this with sudo."
for tool in podman podman-compose openssl; do
    command -v "$tool" >/dev/null || die "$tool is not installed."
done
memory_kb=$(awk '$1 == "MemTotal:" { print $2 }' /proc/meminfo)
((memory_kb > 32 * 1024 * 1024)) || die "Two nodes of 16 GB need a host with more than 32 GB of memory; this one has $((memory_kb / 1024 / 1024))."
for disk in "$ASM_DISK_1" "$ASM_DISK_2"; do
    [[ -b $disk ]] || die "Name two block devices in settings.env (ASM_DISK_1, ASM_DISK_2); '$disk' is none."
    [[ -z $(lsblk --noheadings --output FSTYPE,MOUNTPOINT "$disk" | tr -d '[:space:]') ]] \
        || die "$disk holds a file system or partitions with one. It would be overwritten: name an empty one."
done
for image in "$RAC_IMAGE" "$DNS_IMAGE" "$CMAN_IMAGE"; do
    podman image exists "$image" || die "There is no image $image here: README.md says how to get it."
done
[[ -s ../secrets/rac_password.enc && -s ../secrets/rac_key.pem ]] || die "First: python lab/oracle/make_secrets.py --rac"

network() {
    podman network exists "$1" || podman network create --driver=bridge --subnet="$2" "${@:3}" "$1"
}
network rac_pub1_nw "$PUBLIC_SUBNET"
network rac_priv1_nw "$PRIVATE_SUBNET_1" --disable-dns
network rac_priv2_nw "$PRIVATE_SUBNET_2" --disable-dns

compose() {
    podman-compose --file compose.yaml --env-file settings.env "$@"
}

# fixed addresses: a node leaves the networks that compose has put it on, and joins them again with its own
place() {
    local node=$1 network
    for network in rac_pub1_nw rac_priv1_nw rac_priv2_nw; do
        podman network disconnect "$network" "$node"
    done
    podman network connect rac_pub1_nw --ip "$2" "$node"
    podman network connect rac_priv1_nw --ip "$3" "$node"
    podman network connect rac_priv2_nw --ip "$4" "$node"
}

compose up --detach rac-dnsserver
for node in racnodep1 racnodep2; do
    compose --podman-run-args="-t -i --systemd=always --cpuset-cpus 0-1 --memory 16G --memory-swap 32G" up --detach "$node"
    compose stop "$node"
done
place racnodep1 "$NODE_1_IP" "$NODE_1_PRIVATE_IP_1" "$NODE_1_PRIVATE_IP_2"
place racnodep2 "$NODE_2_IP" "$NODE_2_PRIVATE_IP_1" "$NODE_2_PRIVATE_IP_2"
compose start racnodep1
compose start racnodep2
compose up --detach racnodepc1-cman
echo "Installing. Follow it with: podman exec racnodep1 tail -f /tmp/orod/oracle_rac_setup.log"
echo "It is done when that says: ORACLE RAC DATABASE IS READY TO USE"
