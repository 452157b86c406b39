//! Private and public addresses: a feed on the net must not lead a poll into the user's own network (R57).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

use super::exchange;

/// Endings that only a local network gives out (RFC 6761, RFC 6762, RFC 8375, and what routers are shipped with).
const LOCAL_ENDINGS: [&str; 9] = [
    ".localhost",
    ".local",
    ".lan",
    ".home",
    ".home.arpa",
    ".internal",
    ".intranet",
    ".corp",
    ".private",
];

/// Is the host of this URL part of a private network, as far as its text tells: a private IP address, a name without a
/// dot, or a local ending? `false` for what is no URL.
pub fn is_private_host(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| is_private(&url))
}

/// The same of a parsed URL.
pub(super) fn is_private(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => is_private_v4(ip),
        Some(Host::Ipv6(ip)) => is_private_v6(ip),
        Some(Host::Domain(name)) => is_local_name(name),
        None => false,
    }
}

/// Loopback never goes through a proxy.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => {
            ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback())
        }
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        None => false,
    }
}

fn is_local_name(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    !name.contains('.') || LOCAL_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn is_private_address(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_private_v4(ip),
        IpAddr::V6(ip) => is_private_v6(ip),
    }
}

fn is_private_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_broadcast()
        || ip.is_multicast()
        || ip.is_documentation()
        || a == 0
        || a >= 240
        // Carrier-grade NAT, protocol assignments, benchmarks.
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 198 && (b == 18 || b == 19))
}

fn is_private_v6(ip: Ipv6Addr) -> bool {
    if let Some(inner) = ip.to_ipv4_mapped() {
        return is_private_v4(inner);
    }
    let part = ip.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_private_v4(Ipv4Addr::new(a, b, c, d))
    };
    ip.is_loopback()
        || ip.is_unspecified()
        || ip.is_multicast()
        || ip.is_unique_local()
        || ip.is_unicast_link_local()
        || part[0] & 0xffc0 == 0xfec0
        || (part[0] == 0x2001 && part[1] == 0x0db8)
        // NAT64 and 6to4 carry an IPv4 address.
        || (part[..6] == [0x64, 0xff9b, 0, 0, 0, 0] && embedded(part[6], part[7]))
        || (part[0] == 0x2002 && embedded(part[1], part[2]))
}

/// A public name that leads to a private address.
#[derive(Debug)]
pub(super) struct PrivateAddress {
    name: String,
    address: IpAddr,
}

impl fmt::Display for PrivateAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, address } = self;
        write!(
            f,
            "{name} is {address}, an address of a private network, and the feed was subscribed on a public one"
        )
    }
}

impl std::error::Error for PrivateAddress {}

/// Resolves names. It is asked when the connection is made, so a name cannot be public when looked at and private when
/// used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolver {
    /// Gives out public addresses only.
    Public,
    /// Gives out all.
    Any,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let guarded = *self == Self::Public;
        let failures = exchange::failures();
        Box::pin(async move {
            let mut found: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let first = found.first().map(SocketAddr::ip);
            if guarded {
                found.retain(|at| !is_private_address(at.ip()));
            }
            if let (true, Some(address)) = (found.is_empty(), first) {
                return Err(PrivateAddress {
                    name: name.as_str().to_owned(),
                    address,
                }
                .into());
            }
            turn(&mut found, failures);
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// Begins with another address of the same family after each failure: where one of several is dead, the poll that met
/// it has waited its time out, and the next one must not meet it again.
fn turn(found: &mut [SocketAddr], failures: u32) {
    let Some(first) = found.first().map(SocketAddr::is_ipv4) else {
        return;
    };
    // Stable: the family the system prefers stays in front, its order kept.
    found.sort_by_key(|at| at.is_ipv4() != first);
    let preferred = found.partition_point(|at| at.is_ipv4() == first);
    let (preferred, others) = found.split_at_mut(preferred);
    for family in [preferred, others] {
        if !family.is_empty() {
            family.rotate_left(failures as usize % family.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r57_private_hosts_are_known_by_their_text() {
        for url in [
            "http://127.0.0.1/",
            "http://127.200.3.4:8080/feed",
            "http://10.1.2.3/",
            "http://172.31.0.1/",
            "http://192.168.1.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://100.64.0.1/",
            "http://0.0.0.0/",
            "http://0x7f000001/",
            "http://2130706433/",
            "http://[::1]/",
            "http://[::]/",
            "http://[fd00::1]/",
            "http://[fe80::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[64:ff9b::10.0.0.1]/",
            "http://[2002:c0a8:0101::]/",
            "http://localhost/",
            "http://feeds.localhost:81/",
            "http://nas/feed",
            "http://nas.local/feed",
            "http://wiki.internal./feed",
            "http://ROUTER.LAN/",
        ] {
            assert!(is_private_host(url), "{url}");
        }
    }

    #[test]
    fn r57_public_hosts_are_left_alone() {
        for url in [
            "https://example.org/feed",
            "https://local.example/",
            "http://8.8.8.8/",
            "http://172.32.0.1/",
            "http://100.128.0.1/",
            "http://[2606:4700::1]/",
            "http://[64:ff9b::8.8.8.8]/",
            "not a url",
            "mailto:me@localhost",
        ] {
            assert!(!is_private_host(url), "{url}");
        }
    }

    #[tokio::test]
    async fn r57_a_name_that_leads_to_a_private_address_is_not_resolved() {
        let name = "localhost".parse::<Name>().expect("a name");
        let error = Resolver::Public.resolve(name).await.err().expect("refused");
        let private = error
            .downcast_ref::<PrivateAddress>()
            .expect("for its address");
        assert!(private.address.is_loopback());
        assert!(
            private.to_string().starts_with("localhost is "),
            "{private}"
        );
    }

    #[test]
    fn after_a_failure_another_address_of_the_family_comes_first() {
        let order = |failures| {
            let mut found: Vec<SocketAddr> =
                ["[2::1]:0", "1.0.0.1:0", "[2::2]:0", "1.0.0.2:0", "[2::3]:0"]
                    .iter()
                    .map(|at| at.parse().expect("an address"))
                    .collect();
            turn(&mut found, failures);
            let words: Vec<_> = found.iter().map(|at| at.ip().to_string()).collect();
            words.join(" ")
        };
        assert_eq!(order(0), "2::1 2::2 2::3 1.0.0.1 1.0.0.2");
        assert_eq!(order(1), "2::2 2::3 2::1 1.0.0.2 1.0.0.1");
        assert_eq!(order(4), "2::2 2::3 2::1 1.0.0.1 1.0.0.2");
        turn(&mut [], 3);
    }

    #[test]
    fn r57_loopback_is_told_from_the_rest_of_the_private_network() {
        let loopback = |url| is_loopback(&Url::parse(url).expect("a URL"));
        assert!(loopback("http://127.3.4.5/"));
        assert!(loopback("http://localhost:1/"));
        assert!(loopback("http://[::1]/"));
        assert!(!loopback("http://192.168.0.1/"));
        assert!(!loopback("http://localhost.example/"));
    }
}
