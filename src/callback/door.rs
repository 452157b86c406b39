//! One request at the callback: what of it is told to the engine, and what it is answered.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Method, Request, Response, StatusCode};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::body::{self, Body, Unread};

/// What comes in. Dropping the reply is a 404.
#[derive(Debug)]
pub enum Call {
    /// A hub asks whether this is wanted.
    Verify {
        /// The last part of the path: 32 hexadecimal digits.
        path: String,
        /// The query, as sent.
        query: String,
        /// The answer.
        reply: oneshot::Sender<Reply>,
    },
    /// Somebody wants to deliver there: is it worth reading? [`Reply::Done`] says so, everything else is the answer.
    Knock {
        /// As above.
        path: String,
        /// The answer.
        reply: oneshot::Sender<Reply>,
    },
    /// It was.
    Deliver {
        /// As above.
        path: String,
        /// The value of `X-Hub-Signature`.
        signature: Option<Vec<u8>>,
        /// The value of `Content-Type`.
        content_type: Option<Vec<u8>>,
        /// What was sent.
        body: Body,
        /// The answer.
        reply: oneshot::Sender<Reply>,
    },
}

/// The engine's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// 200 and the challenge.
    Echo(String),
    /// 200.
    Done,
    /// 404.
    NotFound,
    /// 410: hubs stop then.
    Gone,
}

type Answer = Response<Full<Bytes>>;

/// Where calls go, and what bodies wait in.
#[derive(Clone)]
pub(super) struct Door {
    pub(super) calls: mpsc::Sender<Call>,
    pub(super) pool: Arc<Semaphore>,
}

impl Door {
    pub(super) async fn answer(self, request: Request<Incoming>) -> Result<Answer, Infallible> {
        let Some(path) = secret_of(request.uri().path()) else {
            return Ok(plain(StatusCode::NOT_FOUND));
        };
        Ok(match *request.method() {
            Method::GET => {
                let query = request.uri().query().unwrap_or("").to_owned();
                let reply = self.ask(|reply| Call::Verify { path, query, reply });
                response(reply.await)
            }
            Method::POST => self.take(path, request).await,
            _ => plain(StatusCode::NOT_FOUND),
        })
    }

    async fn take(self, path: String, request: Request<Incoming>) -> Answer {
        let known = path.clone();
        let knock = self.ask(|reply| Call::Knock { path: known, reply });
        match knock.await {
            Reply::Done => {}
            refused => return response(refused),
        }
        let (parts, incoming) = request.into_parts();
        let header = |name: &str| parts.headers.get(name);
        let signature = header("x-hub-signature").map(|value| value.as_bytes().to_vec());
        let content_type = header("content-type").map(|value| value.as_bytes().to_vec());
        let body = match body::read(incoming, &self.pool).await {
            Ok(body) => body,
            Err(Unread::TooLarge) => return plain(StatusCode::PAYLOAD_TOO_LARGE),
            Err(Unread::Broken) => return plain(StatusCode::BAD_REQUEST),
            Err(Unread::NoRoom) => {
                let mut answer = plain(StatusCode::SERVICE_UNAVAILABLE);
                let headers = answer.headers_mut();
                headers.insert(RETRY_AFTER, HeaderValue::from_static("60"));
                return answer;
            }
        };
        let deliver = self.ask(|reply| Call::Deliver {
            path,
            signature,
            content_type,
            body,
            reply,
        });
        response(deliver.await)
    }

    async fn ask(&self, call: impl FnOnce(oneshot::Sender<Reply>) -> Call) -> Reply {
        let (reply, answer) = oneshot::channel();
        if self.calls.send(call(reply)).await.is_err() {
            return Reply::NotFound;
        }
        answer.await.unwrap_or(Reply::NotFound)
    }
}

/// The last part of the path, where it can be one of ours.
fn secret_of(path: &str) -> Option<String> {
    let (_, last) = path.rsplit_once('/')?;
    let digits = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (last.len() == 32 && last.bytes().all(digits)).then(|| last.to_owned())
}

fn response(reply: Reply) -> Answer {
    match reply {
        Reply::Echo(challenge) => {
            let mut answer = Response::new(Full::new(Bytes::from(challenge)));
            // A challenge is a stranger's text: nobody shall read it as a page.
            let kind = HeaderValue::from_static("text/plain; charset=utf-8");
            answer.headers_mut().insert(CONTENT_TYPE, kind);
            let nosniff = HeaderValue::from_static("nosniff");
            let headers = answer.headers_mut();
            headers.insert("x-content-type-options", nosniff);
            answer
        }
        Reply::Done => plain(StatusCode::OK),
        Reply::NotFound => plain(StatusCode::NOT_FOUND),
        Reply::Gone => plain(StatusCode::GONE),
    }
}

fn plain(status: StatusCode) -> Answer {
    let mut answer = Response::default();
    *answer.status_mut() = status;
    answer
}
