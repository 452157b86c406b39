//! One conditional GET, one answer. The only room that knows reqwest and how a body is packed.
//!
//! A redirect is an answer like any other; who asks decides whether to follow. Nothing is judged here, nothing retried,
//! nothing stored. Headers go both ways byte for byte.

mod body;
mod budget;
mod clients;
mod coding;
mod exchange;
mod failure;
mod guard;
mod headers;
mod queue;
mod tls;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderValue;
use reqwest::{Method, Response};
use tokio::time::Instant;
use url::Url;

use crate::model::{
    Answer, Body, Clock, ErrorKind, HeaderList, HttpSettings, PollError, Validators,
};

pub use budget::Grant;
pub use guard::is_private_host;
pub use headers::login_of;

use budget::Budget;
use clients::Clients;
use exchange::{Exchange, Places};
use failure::Asked;

/// Header fields of an answer, all together, in bytes (R70).
const MAX_HEADERS: usize = 64 * 1024;

/// Asks servers. Cheap to clone; clones share connections, places and limits.
#[derive(Clone)]
pub struct Fetcher {
    inner: Arc<Inner>,
}

struct Inner {
    settings: HttpSettings,
    agent: HeaderValue,
    clients: Clients,
    places: Arc<Places>,
    budget: Arc<Budget>,
}

/// What becomes of the connection. A round over a thousand hosts must not hold a thousand sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reuse {
    /// The only request to its host: the connection is closed after it.
    #[default]
    Alone,
    /// Others follow within seconds.
    Kept,
    /// The last of several: goes over the kept connection and asks for its end.
    Last,
}

/// One request to one URL.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// http or https. Userinfo becomes `Authorization`; a fragment is not sent. Path and query go out as they are, but for
    /// what every client does by the URL standard, and what no server could otherwise be sent (R62): `.` and `..` are
    /// resolved, and characters that a request line cannot hold are escaped, in a query `'` and `"` too. Answers,
    /// validators and lists go by the URL as it stands here.
    pub url: &'a str,
    /// Sent byte for byte as `If-None-Match` and `If-Modified-Since`.
    pub validators: &'a Validators,
    /// Ask for a delta (RFC 3229), where an `ETag` is sent (R76).
    pub a_im: bool,
    /// Instead of the reader's own.
    pub user_agent: Option<&'a str>,
    /// Sent besides. Only for the configured origin: the caller sees to it (R61).
    pub headers: &'a [(String, String)],
    /// User and password, before those of the URL. Only for the configured origin, likewise.
    pub authorization: Option<(String, String)>,
    /// Addresses of a private network may be asked (R57): where the feed was subscribed on one, or the user named
    /// this very host.
    pub private_ok: bool,
    /// Errors in a row so far: three or more go to the back (R70).
    pub failures: u32,
    /// Whether the connection is kept.
    pub reuse: Reuse,
    /// Decoded bytes of the body at most, where less than the settings allow.
    pub max_body: Option<u64>,
    /// Posted as a form (`application/x-www-form-urlencoded`), for a hub: of the answer the status counts, and no body is read.
    pub form: Option<&'a str>,
}

impl<'a> Request<'a> {
    /// A request to `url` with `validators` and nothing else: public addresses only, no connection kept.
    pub const fn new(url: &'a str, validators: &'a Validators) -> Self {
        Self {
            url,
            validators,
            a_im: false,
            user_agent: None,
            headers: &[],
            authorization: None,
            private_ok: false,
            failures: 0,
            reuse: Reuse::Alone,
            max_body: None,
            form: None,
        }
    }
}

/// A request that brought no whole answer, and what is known of it for the audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub error: PollError,
    /// The status, where the headers came.
    pub status: Option<u16>,
    /// What was sent, credentials masked; empty when nothing was.
    pub sent: HeaderList,
    /// What came back of the headers.
    pub received: HeaderList,
    /// Body bytes that came over the wire.
    pub wire: u64,
    /// From the first byte sent to the end.
    pub took: Duration,
    /// The URL that was asked, fragment excluded.
    pub url: String,
}

/// The settings do not make a fetcher.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchSetupError {
    /// The user's certificates.
    #[error("`ca_file` under [http] in config.toml, {}, cannot be used: {why}", file.display())]
    CaFile {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// The proxy's URL. Not repeated: it may hold a password.
    #[error(
        "`proxy` under [http] in config.toml is not the URL of a proxy; write http://, https:// or socks5://, a host and a port, or `none`"
    )]
    Proxy,
    /// The contact in the `User-Agent`.
    #[error(
        "`contact` under [http] in config.toml cannot be sent in a header; write plain text such as mailto:me@example.org"
    )]
    Contact,
}

impl Fetcher {
    /// A fetcher under these settings. Opens nothing yet; TLS is set up when the first https URL comes.
    pub fn new(settings: &HttpSettings) -> Result<Self, FetchSetupError> {
        let agent = HeaderValue::from_str(&headers::user_agent(settings.contact.as_deref()))
            .map_err(|_| FetchSetupError::Contact)?;
        let places = Arc::new(Places::new(settings));
        let clients = Clients::new(settings, &places)?;
        Ok(Self {
            inner: Arc::new(Inner {
                settings: settings.clone(),
                agent,
                clients,
                places,
                budget: Budget::new(settings.max_body),
            }),
        })
    }

    /// Requests that wait for a name or a connection beside the places of those in flight: so many more may start.
    pub fn aside(&self) -> usize {
        self.inner.places.aside()
    }

    /// Sends one request and reads one answer. Waits for a place among the requests in flight first; `deadline` ends
    /// everything, the waiting too.
    ///
    /// # Errors
    /// No whole answer: [`Failure`] says why and what is known. A status is never an error here.
    pub async fn get(
        &self,
        request: Request<'_>,
        deadline: Instant,
        clock: Clock,
    ) -> Result<Answer, Failure> {
        let (answer, _) = self.get_held(request, deadline, clock).await?;
        Ok(answer)
    }

    /// Like [`get`](Self::get), with the body's part of the memory budget: keep it as long as the body is in memory,
    /// so that bodies waiting to be parsed count too.
    pub async fn get_held(
        &self,
        request: Request<'_>,
        deadline: Instant,
        clock: Clock,
    ) -> Result<(Answer, Option<Grant>), Failure> {
        let asked = request.url.split('#').next().unwrap_or_default();
        let mut record = Record::new(asked);
        match self
            .converse(&request, asked, &mut record, deadline, clock)
            .await
        {
            Ok((body, grant)) => Ok((record.answer(body), grant)),
            Err(error) => Err(record.failure(error)),
        }
    }

    async fn converse(
        &self,
        request: &Request<'_>,
        asked: &str,
        record: &mut Record,
        deadline: Instant,
        clock: Clock,
    ) -> Result<(Body, Option<Grant>), PollError> {
        let inner = &*self.inner;
        let mut url = target(asked)?;
        let (client, way) =
            inner
                .clients
                .choose(&url, request.private_ok, request.reuse != Reuse::Alone)?;
        // After the wait: a thousand requests in line need not hold a thousand sets of headers.
        let exchange =
            Exchange::begin(&inner.places, &inner.settings, request.failures, deadline).await?;
        let (fields, sent) = headers::compose(request, &url, &inner.agent)?;
        // They went into a header; in a URL they would go into error texts.
        let bare = url.set_username("").and_then(|()| url.set_password(None));
        debug_assert!(bare.is_ok(), "http URLs have a place for userinfo");
        let asked = Asked::of(&url);
        record.sent = sent;
        let method = match request.form {
            Some(_) => Method::POST,
            None => Method::GET,
        };
        let mut ready = reqwest::Request::new(method, url);
        *ready.headers_mut() = fields;
        *ready.body_mut() = request.form.map(|form| form.to_owned().into());
        let sending = exchange.send(client.execute(ready)).await;
        record.took = exchange.took();
        let response = sending?.map_err(|error| failure::unanswered(&error, &asked, way))?;
        record.arrived(&response, clock);
        if headers::size(response.headers()) > MAX_HEADERS {
            return Err(failure::too_large_headers());
        }
        match use_of_body(response.status().as_u16()) {
            // What a hub says besides is nobody's concern.
            Use::Whole | Use::Beginning if request.form.is_some() => {
                return Ok((Body::default(), None));
            }
            Use::None => return Ok((Body::default(), None)),
            Use::Beginning => {
                let bytes = body::beginning(response, &exchange).await;
                record.wire = exchange.wire();
                record.took = exchange.took();
                let wire = record.wire;
                return Ok((Body { bytes, wire }, None));
            }
            Use::Whole => {}
        }
        let most = inner.settings.max_body;
        let max = request.max_body.map_or(most, |max| max.min(most));
        let read = body::read(response, &exchange, &inner.budget, max).await;
        record.wire = exchange.wire();
        record.took = exchange.took();
        let (bytes, grant) = read?;
        let wire = record.wire;
        Ok((Body { bytes, wire }, Some(grant)))
    }
}

/// What a body is read for.
enum Use {
    /// A feed.
    Whole,
    /// A word why there is none: a login, a guard, the sentence of a server in trouble.
    Beginning,
    /// Nothing.
    None,
}

/// 200, 203 and 226 bring a feed. A 304 has no body, whatever its `Content-Length` says (R24); of a redirect nobody reads it,
/// and what waits or is gone for good needs no reason.
const fn use_of_body(status: u16) -> Use {
    match status {
        200 | 203 | 226 => Use::Whole,
        410 | 429 => Use::None,
        400.. => Use::Beginning,
        _ => Use::None,
    }
}

fn target(asked: &str) -> Result<Url, PollError> {
    let bad = |detail: String| PollError::new(ErrorKind::Url, detail);
    let url = Url::parse(asked).map_err(|error| bad(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        let scheme = url.scheme();
        return Err(bad(format!("`{scheme}:` is neither http: nor https:")));
    }
    Ok(url)
}

/// What is known of a request so far.
struct Record {
    url: String,
    status: Option<u16>,
    sent: HeaderList,
    received: HeaderList,
    at: crate::model::Timestamp,
    wire: u64,
    took: Duration,
}

impl Record {
    fn new(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            status: None,
            sent: HeaderList::default(),
            received: HeaderList::default(),
            at: crate::model::Timestamp::default(),
            wire: 0,
            took: Duration::ZERO,
        }
    }

    fn arrived(&mut self, response: &Response, clock: Clock) {
        self.at = clock();
        self.status = Some(response.status().as_u16());
        self.received = headers::received(response.headers());
    }

    fn answer(self, body: Body) -> Answer {
        Answer {
            url: self.url,
            status: self.status.unwrap_or_default(),
            sent: self.sent,
            headers: self.received,
            body,
            at: self.at,
            took: self.took,
        }
    }

    fn failure(self, error: PollError) -> Failure {
        Failure {
            error,
            status: self.status,
            sent: self.sent,
            received: self.received,
            wire: self.wire,
            took: self.took,
            url: self.url,
        }
    }
}
