//! Which of reqwest's clients sends a request, and when it is built.
//!
//! A client is built when its first URL comes, and one without TLS costs next to nothing: a run over plain http, or one
//! that polls nobody, reads no certificates.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::{Client, Proxy, redirect, retry};
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use url::Url;

use crate::model::{ErrorKind, HttpSettings, PollError};

use super::FetchSetupError;
use super::exchange::{ConnectLayer, Places};
use super::guard::{self, Resolver};
use super::tls;

/// An idle connection is kept this long, where one is kept at all: longer than the usual gap between two starts.
const IDLE: Duration = Duration::from_secs(5);

/// Header fields of one answer; more than any honest server sends.
const FIELDS: usize = 512;

/// Bytes that an HTTP/2 server may send before they are read; hyper's own 2 MiB times 64 would be memory nobody counts.
const WINDOW: u32 = 256 * 1024;

/// The way out. Connections are never shared between two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Straight, to public addresses only.
    Guarded,
    /// Straight, to any address.
    Open,
    /// Through the proxy, which resolves and connects for us.
    Proxied,
}

/// The clients, each built on first use.
pub(super) struct Clients {
    settings: HttpSettings,
    roots: Vec<CertificateDer<'static>>,
    proxy: Option<Matcher>,
    places: Arc<Places>,
    verifying: OnceLock<ClientConfig>,
    /// By way, TLS or not, and whether connections are kept.
    built: [OnceLock<Client>; 12],
}

impl Clients {
    pub(super) fn new(
        settings: &HttpSettings,
        places: &Arc<Places>,
    ) -> Result<Self, FetchSetupError> {
        let roots = match &settings.ca_file {
            Some(file) => tls::read_roots(file).map_err(|why| FetchSetupError::CaFile {
                file: file.clone(),
                why,
            })?,
            None => Vec::new(),
        };
        let proxy = match settings.proxy.as_deref() {
            Some("none") => None,
            Some(url) => {
                Proxy::all(url).map_err(|_| FetchSetupError::Proxy)?;
                Some(Matcher::builder().all(url.to_owned()).build())
            }
            None => Some(Matcher::from_system()),
        };
        Ok(Self {
            settings: settings.clone(),
            roots,
            proxy,
            places: Arc::clone(places),
            verifying: OnceLock::new(),
            built: Default::default(),
        })
    }

    /// The client for `url`, and its way. `keep` where another request to the host follows at once.
    pub(super) fn choose(
        &self,
        url: &Url,
        private_ok: bool,
        keep: bool,
    ) -> Result<(Client, Way), PollError> {
        let (way, proxy_tls) = self.way(url, private_ok);
        if way == Way::Guarded && guard::is_private(url) {
            let host = url.host_str().unwrap_or_default();
            return Err(PollError::new(
                ErrorKind::Redirect,
                format!(
                    "{host} is in a private network, and the feed was subscribed on a public one"
                ),
            ));
        }
        let secure = url.scheme() == "https" || proxy_tls;
        let place = way as usize * 4 + usize::from(secure) * 2 + usize::from(keep);
        let cell = &self.built[place];
        if let Some(client) = cell.get() {
            return Ok((client.clone(), way));
        }
        let client = self.build(way, secure, keep)?;
        Ok((cell.get_or_init(|| client).clone(), way))
    }

    /// The way to `url`, and whether TLS is spoken with the proxy itself.
    fn way(&self, url: &Url, private_ok: bool) -> (Way, bool) {
        let straight = if private_ok { Way::Open } else { Way::Guarded };
        let Some(matcher) = self.proxy.as_ref().filter(|_| !guard::is_loopback(url)) else {
            return (straight, false);
        };
        let Ok(uri) = url.as_str().parse() else {
            return (straight, false);
        };
        match matcher.intercept(&uri) {
            Some(proxy) => (Way::Proxied, proxy.uri().scheme_str() == Some("https")),
            None => (straight, false),
        }
    }

    fn build(&self, way: Way, secure: bool, keep: bool) -> Result<Client, PollError> {
        let tls = if secure {
            self.verifying()?
        } else {
            tls::none().map_err(tls_error)?
        };
        let builder = Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .referer(false)
            .retry(retry::never())
            .connector_layer(ConnectLayer(Arc::clone(&self.places)))
            .http1_title_case_headers()
            .http1_max_headers(FIELDS)
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http2_max_header_list_size(super::MAX_HEADERS as u32)
            .http2_initial_stream_window_size(WINDOW)
            .http2_initial_connection_window_size(WINDOW)
            .pool_max_idle_per_host(usize::from(keep))
            .pool_idle_timeout(IDLE)
            // The clocks of `exchange` say when a silent connection is given up; four settings a socket less.
            .tcp_keepalive(None)
            .tcp_keepalive_interval(None)
            .tcp_keepalive_retries(None)
            .tcp_user_timeout(None);
        let builder = match way {
            Way::Guarded => builder.no_proxy().dns_resolver(Resolver::Public),
            Way::Open => builder.no_proxy().dns_resolver(Resolver::Any),
            Way::Proxied => match self.settings.proxy.as_deref() {
                Some(url) => {
                    let proxy = Proxy::all(url)
                        .map_err(|_| PollError::new(ErrorKind::Url, "the proxy in config.toml"))?;
                    builder.proxy(proxy)
                }
                None => builder,
            },
        };
        builder
            .build()
            .map_err(|e| PollError::new(ErrorKind::Tls, e.to_string()))
    }

    fn verifying(&self) -> Result<ClientConfig, PollError> {
        if let Some(config) = self.verifying.get() {
            return Ok(config.clone());
        }
        let config = tls::verifying(&self.roots).map_err(tls_error)?;
        Ok(self.verifying.get_or_init(|| config).clone())
    }
}

fn tls_error(why: String) -> PollError {
    PollError::new(ErrorKind::Tls, why)
}
