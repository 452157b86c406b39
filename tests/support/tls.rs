//! A certificate of the test's own.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A self-signed certificate and its key.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The certificate as a user would name it in `ca_file`.
    pub pem: String,
    pub(super) config: Arc<ServerConfig>,
}

impl Identity {
    /// For these names and addresses.
    pub fn for_names(names: &[&str]) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
        Self::serving(
            made.cert.pem(),
            made.cert.der(),
            made.signing_key.serialize_der(),
        )
    }

    /// For `127.0.0.1`, and out of date since 2001.
    pub fn expired() -> Self {
        let mut params =
            rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
        params.not_before = rcgen::date_time_ymd(2000, 1, 1);
        params.not_after = rcgen::date_time_ymd(2001, 1, 1);
        let key = rcgen::KeyPair::generate().expect("a key");
        let cert = params.self_signed(&key).expect("a certificate");
        Self::serving(cert.pem(), cert.der(), key.serialize_der())
    }

    /// The same identity for a server that offers these protocols, such as `h2`.
    pub fn speaking(&self, protocols: &[&[u8]]) -> Arc<ServerConfig> {
        let mut config = (*self.config).clone();
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        Arc::new(config)
    }

    fn serving(pem: String, cert: &CertificateDer<'_>, key: Vec<u8>) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let key = PrivateKeyDer::try_from(key).expect("a key");
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![cert.clone().into_owned()], key)
            .expect("a server");
        Self {
            pem,
            config: Arc::new(config),
        }
    }
}
