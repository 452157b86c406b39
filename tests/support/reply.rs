//! What the server does with one request, lies and failures included.

use std::time::Duration;

use super::Gate;

/// One answer.
#[derive(Debug, Clone)]
pub struct Reply {
    pub(super) status: u16,
    pub(super) reason: &'static str,
    pub(super) headers: Vec<(Vec<u8>, Vec<u8>)>,
    pub(super) body: Body,
    pub(super) length: Length,
    /// Waits here before the first byte of the answer.
    pub(super) before: Option<Gate>,
    /// Waits here between headers and body.
    pub(super) before_body: Option<Gate>,
    /// Hangs up after so many bytes of the body, framing included.
    pub(super) cut: Option<usize>,
    pub(super) end: End,
    pub(super) whole: Option<Vec<u8>>,
}

#[derive(Debug, Clone)]
pub(super) enum Body {
    Bytes(Vec<u8>),
    /// The same block so many times; `None` without end.
    Blocks(Vec<u8>, Option<usize>),
    /// A byte at a time, so far apart.
    Trickle(Vec<u8>, Duration),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    /// `Content-Length` as it is.
    Right,
    /// Another than it is.
    Wrong(u64),
    /// None: the end of the connection is the end of the body.
    Absent,
    /// Chunked, so many bytes a chunk, with its last chunk.
    Chunked(usize),
    /// Chunked, and the last chunk never comes.
    Unfinished(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The connection is kept.
    Keep,
    /// The connection is closed.
    Close,
    /// The connection is reset before anything is sent.
    Reset,
    /// The connection is closed, over TLS without the `close_notify`.
    Abrupt,
    /// Nothing more happens, and the connection stays open.
    Hang,
}

impl Reply {
    /// A status and nothing else.
    pub fn new(status: u16) -> Self {
        Self {
            status,
            reason: reason(status),
            headers: Vec::new(),
            body: Body::Bytes(Vec::new()),
            length: Length::Right,
            before: None,
            before_body: None,
            cut: None,
            end: End::Keep,
            whole: None,
        }
    }

    /// 200 with a body.
    pub fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200).body(body)
    }

    /// A bare 304.
    pub fn not_modified() -> Self {
        Self::new(304).without_length()
    }

    /// A redirect.
    pub fn redirect(status: u16, to: impl AsRef<[u8]>) -> Self {
        Self::new(status).header("Location", to)
    }

    /// Exactly these bytes, then the connection is closed.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        let mut reply = Self::new(200);
        reply.whole = Some(bytes.into());
        reply.end = End::Close;
        reply
    }

    /// Exactly these bytes, and the connection is kept: what is too much stands before the next answer.
    pub fn raw_kept(bytes: impl Into<Vec<u8>>) -> Self {
        let mut reply = Self::raw(bytes);
        reply.end = End::Keep;
        reply
    }

    /// The connection is closed without a byte.
    pub fn hang_up() -> Self {
        Self::raw(Vec::new())
    }

    /// The connection is reset without a byte.
    pub fn reset() -> Self {
        let mut reply = Self::hang_up();
        reply.end = End::Reset;
        reply
    }

    /// The connection stays open and nothing comes.
    pub fn silence() -> Self {
        let mut reply = Self::hang_up();
        reply.end = End::Hang;
        reply
    }

    /// A header, byte for byte, after those before it.
    pub fn header(mut self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        self.headers
            .push((name.as_ref().to_vec(), value.as_ref().to_vec()));
        self
    }

    /// The body.
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = Body::Bytes(body.into());
        self
    }

    /// A body of `times` equal blocks, made while it is sent.
    pub fn blocks(mut self, block: impl Into<Vec<u8>>, times: usize) -> Self {
        self.body = Body::Blocks(block.into(), Some(times));
        self
    }

    /// A body that never ends. Without a length, unless one is claimed.
    pub fn endless(mut self, block: impl Into<Vec<u8>>) -> Self {
        self.body = Body::Blocks(block.into(), None);
        if self.length == Length::Right {
            self.length = Length::Absent;
        }
        self
    }

    /// A byte at a time, so far apart: a server that is slow on purpose.
    pub fn trickle(mut self, body: impl Into<Vec<u8>>, apart: Duration) -> Self {
        self.body = Body::Trickle(body.into(), apart);
        self
    }

    /// Claims this length whatever the body.
    pub fn claiming(mut self, length: u64) -> Self {
        self.length = Length::Wrong(length);
        self
    }

    /// No `Content-Length`: the connection's end is the body's.
    pub fn without_length(mut self) -> Self {
        self.length = Length::Absent;
        self
    }

    /// In chunks of `size` bytes.
    pub fn chunked(mut self, size: usize) -> Self {
        self.length = Length::Chunked(size);
        self
    }

    /// In chunks of `size` bytes; the connection ends before the last one.
    pub fn unfinished(mut self, size: usize) -> Self {
        self.length = Length::Unfinished(size);
        self.end = End::Close;
        self
    }

    /// Hangs up after `bytes` of the body.
    pub fn cut_after(mut self, bytes: usize) -> Self {
        self.cut = Some(bytes);
        self.end = End::Close;
        self
    }

    /// Answers only when the gate lets it.
    pub fn held(mut self, gate: &Gate) -> Self {
        self.before = Some(gate.clone());
        self
    }

    /// Sends the headers at once and the body when the gate lets it.
    pub fn body_held(mut self, gate: &Gate) -> Self {
        self.before_body = Some(gate.clone());
        self
    }

    /// Sends what there is and then stands still with the connection open.
    pub fn then_hang(mut self) -> Self {
        self.end = End::Hang;
        self
    }

    /// Closes the connection afterwards, over TLS without saying so.
    pub fn without_goodbye(mut self) -> Self {
        self.end = End::Abrupt;
        self
    }

    /// Closes the connection afterwards.
    pub fn then_close(mut self) -> Self {
        self.end = End::Close;
        self
    }

    /// Status line and headers as they go out.
    pub(super) fn head(&self) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, self.reason).into_bytes();
        for (name, value) in &self.headers {
            head.extend_from_slice(name);
            head.extend_from_slice(b": ");
            head.extend_from_slice(value);
            head.extend_from_slice(b"\r\n");
        }
        match self.length {
            Length::Right => {
                let length = match &self.body {
                    Body::Bytes(bytes) | Body::Trickle(bytes, _) => bytes.len(),
                    Body::Blocks(block, times) => block.len() * times.unwrap_or(0),
                };
                head.extend_from_slice(format!("Content-Length: {length}\r\n").as_bytes());
            }
            Length::Wrong(length) => {
                head.extend_from_slice(format!("Content-Length: {length}\r\n").as_bytes());
            }
            Length::Chunked(_) | Length::Unfinished(_) => {
                head.extend_from_slice(b"Transfer-Encoding: chunked\r\n");
            }
            Length::Absent => {}
        }
        head.extend_from_slice(b"\r\n");
        head
    }

    /// Must the connection end for the body to end?
    pub(super) fn must_close(&self) -> bool {
        let bodiless = self.status == 304 || self.status == 204;
        self.end == End::Close || (self.length == Length::Absent && !bodiless)
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        404 => "Not Found",
        410 => "Gone",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        _ => "Whatever",
    }
}
