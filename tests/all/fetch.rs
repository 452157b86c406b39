//! One conditional GET against a server that does what it is told (POLLING R1–R4, R24, R55–R70, R75).

mod bodies;
mod requests;
mod second;
mod strays;
mod timeouts;
mod trouble;

use std::time::Duration;

use tidings::fetch::{Failure, Fetcher, Request};
use tidings::model::{Answer, ErrorKind, HttpSettings, Timestamp, Validators};
use tokio::time::Instant;

const NOW: Timestamp = Timestamp(1_796_047_043);

fn fetcher() -> Fetcher {
    Fetcher::new(&HttpSettings::default()).expect("default settings")
}

/// With short clocks, for servers that make one wait.
fn impatient() -> Fetcher {
    Fetcher::new(&HttpSettings {
        connect_timeout: Duration::from_secs(2),
        first_byte_timeout: Duration::from_millis(150),
        read_timeout: Duration::from_millis(150),
        total_timeout: Duration::from_millis(600),
        ..HttpSettings::default()
    })
    .expect("settings")
}

fn far() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

async fn ask(fetcher: &Fetcher, mut request: Request<'_>) -> Result<Answer, Failure> {
    request.private_ok = true;
    fetcher.get(request, far(), || NOW).await
}

async fn get(fetcher: &Fetcher, url: &str) -> Result<Answer, Failure> {
    ask(fetcher, Request::new(url, &Validators::default())).await
}

fn validators(etag: Option<&[u8]>, last_modified: Option<&[u8]>) -> Validators {
    Validators {
        etag: etag.map(<[u8]>::to_vec),
        last_modified: last_modified.map(<[u8]>::to_vec),
    }
}

/// The failure's kind and sentence.
fn told(result: Result<Answer, Failure>) -> (ErrorKind, String) {
    match result {
        Ok(answer) => panic!("answered {} {:?}", answer.status, answer.body),
        Err(failure) => (failure.error.kind, failure.error.to_string()),
    }
}
