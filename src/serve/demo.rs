//! `tidings demo`: eleven small servers on loopback, on a thread of their own, for as long as the value lives.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::sync::oneshot;

use crate::model::{Subscription, Timestamp};

use super::answer::{Reply, Site};
use super::bundle::{FEEDS, Manners};

/// The running servers; they end when this is dropped.
#[derive(Debug)]
pub struct Demo {
    subscriptions: Vec<Subscription>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Starts the servers of the demo, each on a free port of 127.0.0.1.
///
/// # Errors
/// No port, no thread or no runtime is to be had.
pub fn start() -> io::Result<Demo> {
    let listeners = FEEDS
        .iter()
        .map(|_| listen())
        .collect::<io::Result<Vec<_>>>()?;
    let sites = sites(&listeners)?;
    let subscriptions = sites.iter().filter_map(|site| subscription(site)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (stop, stopped) = oneshot::channel();
    let thread = thread::Builder::new()
        .name("demo servers".to_owned())
        .spawn(move || {
            runtime.block_on(async {
                for (listener, site) in listeners.into_iter().zip(sites) {
                    tokio::spawn(serve(listener, site));
                }
                // An error is a Demo that is gone, too.
                let _ = stopped.await;
            });
        })?;
    Ok(Demo {
        subscriptions,
        stop: Some(stop),
        thread: Some(thread),
    })
}

impl Demo {
    /// The feeds to subscribe to: URLs, titles and tags.
    pub fn subscriptions(&self) -> Vec<Subscription> {
        self.subscriptions.clone()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the servers has been told already and is no reason for another.
            let _ = thread.join();
        }
    }
}

fn listen() -> io::Result<TcpListener> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn sites(listeners: &[TcpListener]) -> io::Result<Vec<Arc<Site>>> {
    let bases = listeners
        .iter()
        .map(|listener| Ok(format!("http://{}", listener.local_addr()?)))
        .collect::<io::Result<Vec<_>>>()?;
    let at = |title: &str| {
        FEEDS
            .iter()
            .zip(&bases)
            .find(|(feed, _)| feed.title == title)
            .map_or_else(String::new, |(feed, base)| format!("{base}{}", feed.path))
    };
    let now = clock();
    Ok(FEEDS
        .iter()
        .zip(&bases)
        .map(|(feed, base)| {
            let moved_to = match feed.manners {
                Manners::Moved(title) => at(title),
                _ => String::new(),
            };
            Arc::new(Site::new(feed, base.clone(), moved_to, now))
        })
        .collect())
}

fn subscription(site: &Site) -> Option<Subscription> {
    if site.feed.tags.is_empty() {
        return None;
    }
    Some(Subscription {
        url: site.url(),
        title: Some(site.feed.title.to_owned()),
        tags: site.feed.tags.iter().map(|tag| (*tag).to_owned()).collect(),
        ..Subscription::default()
    })
}

fn clock() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Timestamp(since.as_secs() as i64)
}

async fn serve(listener: TcpListener, site: Arc<Site>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of sockets, most likely: they come back when others are closed.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let site = Arc::clone(&site);
        tokio::spawn(async move {
            let service = service_fn(move |request| respond(Arc::clone(&site), request));
            // A client that hangs up is no error of the demo.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn respond(
    site: Arc<Site>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path();
    let reply = if matches!(*request.method(), Method::GET | Method::HEAD) {
        if path == site.feed.path && !site.feed.delay.is_zero() {
            tokio::time::sleep(site.feed.delay).await;
        }
        site.answer(path, request.headers(), clock())
    } else {
        Reply::new(StatusCode::METHOD_NOT_ALLOWED)
    };
    Ok(reply.into_response().unwrap_or_else(|_| {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    }))
}
