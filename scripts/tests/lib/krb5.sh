# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A Kerberos realm of this guest: MIT KDC, keytab, gssd on both sides.

REALM=RDMA.TEST KRB_HOST=server.rdma.test

krb5_up() {
	echo "$ADDR4 $KRB_HOST server" >>/etc/hosts
	hostname $KRB_HOST
	mkdir -p /etc/krb5kdc /run/krb5kdc
	cat >/etc/krb5.conf <<-K
		[libdefaults]
		 default_realm = $REALM
		 dns_lookup_kdc = false
		 dns_lookup_realm = false
		 dns_canonicalize_hostname = false
		 rdns = false
		 permitted_enctypes = aes256-cts-hmac-sha1-96
		 default_tkt_enctypes = aes256-cts-hmac-sha1-96
		 default_tgs_enctypes = aes256-cts-hmac-sha1-96
		[realms]
		 $REALM = {
		  kdc = $ADDR4
		  admin_server = $ADDR4
		 }
		[domain_realm]
		 .rdma.test = $REALM
	K
	cat >/etc/krb5kdc/kdc.conf <<-K
		[realms]
		 $REALM = {
		  database_name = /run/krb5kdc/principal
		  key_stash_file = /run/krb5kdc/stash
		  acl_file = /run/krb5kdc/acl
		  supported_enctypes = aes256-cts-hmac-sha1-96:normal
		  master_key_type = aes256-cts-hmac-sha1-96
		 }
	K
	limit 20 kdb5_util create -s -r $REALM -P secret >/dev/null 2>&1 || fail "kdb5_util"
	kadmin.local -q "addprinc -randkey nfs/$KRB_HOST" >/dev/null 2>&1
	kadmin.local -q "addprinc -pw secret user" >/dev/null 2>&1
	rm -f /etc/krb5.keytab
	kadmin.local -q "ktadd -k /etc/krb5.keytab nfs/$KRB_HOST" >/dev/null 2>&1
	assert "keytab" [ -s /etc/krb5.keytab ]
	start_daemon krb5kdc
	modprobe rpcsec_gss_krb5
	await "the KDC answers" 10 krb5_kinit
	start_daemon rpc.svcgssd
	start_daemon rpc.gssd
	# Who mounts before both listen is denied access.
	await "svcgssd listens" 20 holds_open rpc.svcgssd '*/auth.rpcsec.init/channel'
	await "gssd listens" 20 holds_open rpc.gssd '*/gssd/clnt*/gssd'
}
# holds_open DAEMON PATTERN: a file of that path is open in it
holds_open() { [ -n "$(find "/proc/$(pidof $1)/fd" -lname "$2" 2>/dev/null)" ]; }
krb5_kinit() { timeout 5 kinit -k -t /etc/krb5.keytab -c /tmp/krb5cc_probe nfs/$KRB_HOST 2>/dev/null; }
