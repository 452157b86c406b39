//! TLS: rustls with ring, the system's roots and the user's own. Built once, when the first https URL comes.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// Certificates of the user's `ca_file`, read at once so that a mistake in it is told at the start.
pub(super) fn read_roots(file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let pem = std::fs::read(file).map_err(|e| crate::model::reason(&e))?;
    let roots: Vec<_> = CertificateDer::pem_slice_iter(&pem)
        .collect::<Result<_, _>>()
        .map_err(|e| format!("its PEM cannot be read: {e}"))?;
    if roots.is_empty() {
        return Err("it holds no certificate in PEM form".to_owned());
    }
    Ok(roots)
}

/// Verifies with the system's roots and `extra`. Costs 5 ms: the system's bundle is read and parsed.
///
/// # Errors
/// A sentence: no roots at all, or one of `extra` is no certificate.
pub(super) fn verifying(extra: &[CertificateDer<'static>]) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = Verifier::new_with_extra_roots(extra.iter().cloned(), Arc::clone(&provider))
        .map_err(|e| no_roots(&e))?;
    let verifier: Arc<dyn ServerCertVerifier> = Arc::new(verifier);
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn no_roots(error: &rustls::Error) -> String {
    match error {
        rustls::Error::General(text) if text.contains("No CA certificates") => {
            "this system has no trusted certificates; install its package `ca-certificates`, or name a file of them as `ca_file` under [http] in config.toml"
                .to_owned()
        }
        other => format!("a certificate of `ca_file` cannot be used: {other}"),
    }
}

/// Trusts nobody and costs nothing: for clients that only speak plain http.
pub(super) fn none() -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_without_roots_is_told_what_to_do() {
        let error = rustls::Error::General("No CA certificates were loaded from the system".into());
        let sentence = no_roots(&error);
        assert!(sentence.contains("ca-certificates"), "{sentence}");
        assert!(sentence.contains("`ca_file`"), "{sentence}");
    }
}
