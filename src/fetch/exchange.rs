//! One request on its way: its place in the queue, its phases, its clocks.
//!
//! A request holds one of the global places, except while a name or a connection lets it wait: then it steps aside, so
//! that hosts that do not react hold up nobody (R70), and stands in line again when it is connected. The connector learns
//! whose connection it makes through a task-local value, as reqwest hands it nothing but the URI.
//! (Where a kept connection to the same host comes free meanwhile, reqwest takes that one and the request goes on without
//! a place; with one request a host in flight that does not happen.)

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};
use tower_layer::Layer;
use tower_service::Service;

use crate::model::HttpSettings;

use super::queue::{Place, Queue, Rank};

/// Requests that wait aside for a name or a connection.
const ASIDE: usize = 256;

/// A request that has not connected by then goes aside. Until then it keeps its place: most connect sooner, and a
/// thousand sockets opened at once would be no favour to anybody.
const GRACE: Duration = Duration::from_millis(300);

/// Failures in a row after which a feed goes to the back (R70).
const OFTEN: u32 = 3;

tokio::task_local! {
    static CURRENT: Arc<Exchange>;
}

/// Failures in a row of the feed that the present task asks for; 0 outside of a request.
pub(super) fn failures() -> u32 {
    CURRENT.try_with(|current| current.failures).unwrap_or(0)
}

/// The places over all requests.
#[derive(Debug)]
pub(super) struct Places {
    /// Requests in flight.
    active: Arc<Queue>,
    /// Requests that wait aside for a name or a connection.
    aside: Semaphore,
    connect: Duration,
}

impl Places {
    pub(super) fn new(settings: &HttpSettings) -> Self {
        Self {
            active: Queue::new(settings.connections.max(1)),
            aside: Semaphore::new(ASIDE),
            connect: settings.connect_timeout,
        }
    }

    pub(super) fn aside(&self) -> usize {
        ASIDE.saturating_sub(self.aside.available_permits())
    }
}

/// Which limit ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Late {
    /// No connection in time.
    Connect(Duration),
    /// Connected, and no answer in time.
    FirstByte(Duration),
    /// The body stood still.
    Read(Duration),
    /// The whole took too long.
    Total(Duration),
    /// The caller's time was up.
    Deadline,
}

impl fmt::Display for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |d: &Duration| humantime::format_duration(*d).to_string();
        match self {
            Self::Connect(d) => write!(f, "no connection within {}", seconds(d)),
            Self::FirstByte(d) => write!(f, "connected, but no answer within {}", seconds(d)),
            Self::Read(d) => write!(f, "the body stood still for {}", seconds(d)),
            Self::Total(d) => write!(f, "the answer was not complete after {}", seconds(d)),
            Self::Deadline => f.write_str("the time of this run was up"),
        }
    }
}

impl std::error::Error for Late {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Stands in a queue of ours: no clock of the server's runs.
    Queued,
    /// Resolves, connects, shakes hands; the connector has a clock of its own.
    Connecting,
    /// Sent, or about to be; no answer yet.
    Sent,
    /// The headers are here.
    Reading,
}

/// One request on its way.
#[derive(Debug)]
pub(super) struct Exchange {
    limits: Limits,
    deadline: Instant,
    state: Mutex<State>,
    failures: u32,
    /// Body bytes that came over the wire.
    wire: AtomicU64,
}

#[derive(Debug, Clone, Copy)]
struct Limits {
    first_byte: Duration,
    read: Duration,
    total: Duration,
}

#[derive(Debug)]
struct State {
    place: Option<Place>,
    phase: Phase,
    since: Instant,
    started: Instant,
    /// When the request last began to wait for its answer.
    sent: Instant,
    /// Time spent in queues of ours.
    queued: Duration,
}

impl Exchange {
    /// Waits for a place among the active requests.
    pub(super) async fn begin(
        places: &Arc<Places>,
        settings: &HttpSettings,
        failures: u32,
        deadline: Instant,
    ) -> Result<Arc<Self>, Late> {
        let place = timeout_at(deadline, places.active.take(rank(failures)))
            .await
            .map_err(|_| Late::Deadline)?;
        let now = Instant::now();
        Ok(Arc::new(Self {
            limits: Limits {
                first_byte: settings.first_byte_timeout,
                read: settings.read_timeout,
                total: settings.total_timeout,
            },
            deadline,
            state: Mutex::new(State {
                place: Some(place),
                phase: Phase::Sent,
                since: now,
                started: now,
                sent: now,
                queued: Duration::ZERO,
            }),
            failures,
            wire: AtomicU64::new(0),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, phase: Phase) {
        let now = Instant::now();
        let mut state = self.state();
        if state.phase == Phase::Queued {
            let waited = now - state.since;
            state.queued += waited;
        }
        if phase == Phase::Sent {
            state.sent = now;
        }
        state.phase = phase;
        state.since = now;
    }

    /// When the next clock runs out, and which.
    fn due(&self) -> (Instant, Option<Late>) {
        let state = self.state();
        let limits = self.limits;
        let whole = (
            state.started + limits.total + state.queued,
            Some(Late::Total(limits.total)),
        );
        // A phase may end while a clock is armed for it, so that one is looked at again soon.
        let soon = (
            Instant::now() + limits.first_byte.min(Duration::from_secs(1)),
            None,
        );
        let own = match state.phase {
            Phase::Queued => soon,
            Phase::Connecting => earlier(soon, whole),
            Phase::Sent => {
                let late = Late::FirstByte(limits.first_byte);
                earlier((state.since + limits.first_byte, Some(late)), whole)
            }
            Phase::Reading => {
                let late = Late::Read(limits.read);
                earlier((state.since + limits.read, Some(late)), whole)
            }
        };
        earlier(own, (self.deadline, Some(Late::Deadline)))
    }

    /// Awaits `future` as long as no clock of the present phase runs out.
    pub(super) async fn within<F: Future>(&self, future: F) -> Result<F::Output, Late> {
        tokio::pin!(future);
        loop {
            let (due, _) = self.due();
            if let Ok(output) = timeout_at(due, &mut future).await {
                return Ok(output);
            }
            if let (due, Some(late)) = self.due()
                && due <= Instant::now()
            {
                return Err(late);
            }
        }
    }

    /// Sends: connections made inside `future` are this exchange's.
    pub(super) async fn send<F: Future>(self: &Arc<Self>, future: F) -> Result<F::Output, Late> {
        self.within(CURRENT.scope(Arc::clone(self), future)).await
    }

    /// Something came: the clock between two reads starts anew.
    pub(super) fn progress(&self, bytes: usize) {
        self.wire.fetch_add(bytes as u64, Ordering::Relaxed);
        self.enter(Phase::Reading);
    }

    /// Awaits something that is no fault of the server's; counts towards no clock but the caller's.
    pub(super) async fn queue<F: Future>(&self, future: F) -> Result<F::Output, Late> {
        self.enter(Phase::Queued);
        let output = timeout_at(self.deadline, future).await;
        self.enter(Phase::Reading);
        output.map_err(|_| Late::Deadline)
    }

    /// Body bytes so far, as on the wire.
    pub(super) fn wire(&self) -> u64 {
        self.wire.load(Ordering::Relaxed)
    }

    /// Time since the request went out.
    pub(super) fn took(&self) -> Duration {
        self.state().sent.elapsed()
    }
}

const fn rank(failures: u32) -> Rank {
    if failures >= OFTEN {
        Rank::Last
    } else {
        Rank::Usual
    }
}

fn earlier(a: (Instant, Option<Late>), b: (Instant, Option<Late>)) -> (Instant, Option<Late>) {
    if b.0 < a.0 { b } else { a }
}

/// Wraps reqwest's connector: see the module. reqwest's own connect timeout would go on while a connected request stands
/// in line.
#[derive(Debug, Clone)]
pub(super) struct ConnectLayer(pub(super) Arc<Places>);

impl<S> Layer<S> for ConnectLayer {
    type Service = Connect<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Connect {
            inner,
            places: Arc::clone(&self.0),
        }
    }
}

/// A connector with a time limit, that steps aside when it is slow.
#[derive(Debug, Clone)]
pub(super) struct Connect<S> {
    inner: S,
    places: Arc<Places>,
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl<S, T> Service<T> for Connect<S>
where
    S: Service<T, Error = BoxError>,
    S::Future: Send + 'static,
    S::Response: Send,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, target: T) -> Self::Future {
        let connecting = self.inner.call(target);
        let places = Arc::clone(&self.places);
        let exchange = CURRENT.try_with(Arc::clone).ok();
        Box::pin(async move {
            tokio::pin!(connecting);
            let start = Instant::now();
            let limit = start + places.connect;
            let late = |_| Late::Connect(places.connect);
            let Some(exchange) = exchange else {
                return timeout_at(limit, connecting).await.map_err(late)?;
            };
            exchange.enter(Phase::Connecting);
            let soon = limit.min(start + GRACE);
            let connection = if let Ok(connection) = timeout_at(soon, &mut connecting).await {
                connection?
            } else {
                let aside = places.aside.try_acquire().ok();
                if aside.is_some() {
                    exchange.state().place = None;
                }
                let connection = timeout_at(limit, connecting).await.map_err(late)??;
                if aside.is_some() {
                    exchange.enter(Phase::Queued);
                    let place = places.active.take(rank(exchange.failures)).await;
                    exchange.state().place = Some(place);
                }
                connection
            };
            exchange.enter(Phase::Sent);
            Ok(connection)
        })
    }
}
