//! Sitemaps: the document itself was asked for like a feed; here its pages become entries, and the files of an index whose
//! `lastmod` advanced are asked for.

use tokio::sync::mpsc;
use url::Url;

use crate::config;
use crate::model::{Answer, ErrorKind, Memory, PollError, Site, SitePage, SourceKind, Timestamp};
use crate::parse::{self, ParseError, Sitemap};
use crate::poll::{self, Reading, Root, Verdict};
use crate::store::About;

use super::clock;
use super::gather::{Part, on_worker, part};
use super::gathered::{Failed, Gathered};
use super::job::{Fetched, Job, same_host};
use super::pass::Inner;
use super::reading::poll_error;
use super::shared::Shared;

/// Warnings about files of an index that are told one by one.
const TOLD: usize = 3;

/// Reads the sitemap that has answered, and asks for what it names. Nothing for what is none.
pub async fn go_on(
    shared: &Shared,
    job: &Job,
    inner: &mpsc::UnboundedSender<Inner>,
    fetched: &mut Fetched,
) {
    if job.subscription.kind != SourceKind::Sitemap || fetched.barred.is_some() {
        return;
    }
    let conditional = !fetched.sent.is_empty();
    let Ok(answer) = &fetched.end else {
        return;
    };
    let not_modified = match poll::judge(answer, conditional) {
        Verdict::NotModified => true,
        Verdict::Parse => false,
        _ => return,
    };
    let end = std::mem::replace(
        &mut fetched.end,
        Err(PollError::new(ErrorKind::Cancelled, "")),
    );
    let Ok(root) = end else {
        return;
    };
    let sent = fetched.sent.clone();
    let mut round = Round::new(shared, job, inner);
    let mut root = *root;
    let known = if not_modified {
        Ok(())
    } else {
        round.read_root(&mut root, fetched).await
    };
    fetched.end = match known {
        Ok(()) => round.read_files(&root, fetched).await,
        Err(error) => {
            round.gathered.refused = Some(error);
            Ok(())
        }
    }
    .map_or_else(|end| end, |()| Ok(Box::new(root.clone())));
    fetched.sent = sent;
    let gathered = round.end(&root, not_modified);
    fetched.gathered = Some(Box::new(gathered));
}

/// On the same host, at the same port, be it in the open or not.
fn is_beside(url: &str, root: &str) -> bool {
    let port = |url: &str| Url::parse(url).ok().map(|url| url.port());
    same_host(url, root) && port(url) == port(root)
}

/// The error of a poll whose answer is no sitemap.
fn refused(answer: &Answer, asked: &str, error: &ParseError, before: bool) -> PollError {
    let error = poll_error(error);
    if parse::odd(answer, asked).is_some() {
        return parse::named(answer, asked, &error, before);
    }
    match error.kind {
        ErrorKind::NotAFeed => PollError::new(
            error.kind,
            format!("a sitemap was expected, found {}", error.detail),
        ),
        ErrorKind::Truncated => PollError::new(
            error.kind,
            "the sitemap has no end, or unpacks to more than is read",
        ),
        _ => error,
    }
}

/// One poll of a sitemap.
struct Round<'a> {
    shared: &'a Shared,
    job: &'a Job,
    inner: &'a mpsc::UnboundedSender<Inner>,
    now: Timestamp,
    /// It was never read.
    first: bool,
    site: Site,
    reading: Reading,
    gathered: Gathered,
    /// Something is to be stored.
    changed: bool,
    /// Pages that were named.
    pages: usize,
}

impl<'a> Round<'a> {
    fn new(shared: &'a Shared, job: &'a Job, inner: &'a mpsc::UnboundedSender<Inner>) -> Self {
        let now = clock::now();
        let known = match &job.memory {
            Memory::Site(site) => Some(Site::clone(site)),
            _ => None,
        };
        let first = known.is_none();
        let site = known.unwrap_or_else(|| Site {
            begun: now,
            ..Site::default()
        });
        Self {
            reading: Reading::new(&site, first),
            gathered: Gathered::new(Root::NotModified),
            shared,
            job,
            inner,
            now,
            first,
            site,
            changed: false,
            pages: 0,
        }
    }

    /// Reads the document itself.
    async fn read_root(
        &mut self,
        root: &mut Answer,
        fetched: &mut Fetched,
    ) -> Result<(), PollError> {
        let asked = &self.job.subscription.url;
        self.gathered.decoded = root.body.bytes.len() as u64;
        let (found, hash) = self.parse(root).await?;
        let before = self.job.input.state.full_decoded > 0;
        let found = found.map_err(|error| refused(root, asked, &error, before));
        // It is read: its part of the memory that all bodies share is free for the files of an index.
        root.body.bytes = Vec::new();
        fetched.grant = None;
        self.gathered.root = Root::Read { body_hash: hash };
        self.changed = true;
        match found? {
            Sitemap::Pages { pages, name } => {
                self.site.files.clear();
                self.about(&root.url, name);
                self.take(None, pages);
            }
            Sitemap::Index(files) => {
                self.about(&root.url, String::new());
                self.index(&root.url, files);
            }
        }
        Ok(())
    }

    /// Reads a body on a worker; it is put back.
    async fn parse(
        &self,
        answer: &mut Answer,
    ) -> Result<(Result<Sitemap, ParseError>, [u8; 32]), PollError> {
        let bytes = std::mem::take(&mut answer.body.bytes);
        let content_type = answer.headers.text("content-type");
        let url = answer.url.clone();
        let work = move || {
            let found = parse::sitemap(&bytes, content_type.as_deref(), &url);
            (found, parse::body_hash(&bytes), bytes)
        };
        let (found, hash, bytes) = on_worker(self.shared, work).await?;
        answer.body.bytes = bytes;
        Ok((found, hash))
    }

    fn about(&mut self, url: &str, name: String) {
        let host = Url::parse(url).ok();
        let host = host.as_ref().and_then(Url::host_str).unwrap_or_default();
        self.gathered.about = Some(About {
            title: if name.is_empty() {
                host.to_owned()
            } else {
                name
            },
            ..About::default()
        });
    }

    /// An index names files of its own host, and neither itself nor another.
    fn index(&mut self, root: &str, files: Vec<(String, Option<Timestamp>)>) {
        let named = files.len();
        let own = &self.job.subscription.url;
        let files: Vec<_> = files
            .into_iter()
            .filter(|(url, _)| is_beside(url, root) && url != root && url != own)
            .collect();
        if files.len() < named {
            self.warn(format!(
                "{} of its files are itself or on other hosts, and are not asked for",
                named - files.len()
            ));
        }
        if files.len() > poll::FILES_MAX {
            let (most, named) = (poll::FILES_MAX, files.len());
            self.warn(format!(
                "of its {named} files only the latest {most} are followed"
            ));
        }
        let before = Some(&self.site).filter(|_| !self.first);
        self.site = poll::indexed(before, files, self.now);
    }

    fn warn(&mut self, warning: String) {
        if self.gathered.warnings.len() < TOLD {
            self.gathered.warnings.push(warning);
        }
    }

    fn take(&mut self, file: Option<usize>, pages: Vec<SitePage>) {
        self.pages += pages.len();
        let file = file.and_then(|at| self.site.files.get(at));
        let wanted = &self.job.subscription.paths;
        self.reading
            .take(file, pages, |url| parse::is_wanted(url, wanted));
    }

    /// Asks for the files of an index whose turn it is. The end of one that failed, where that ends the poll.
    async fn read_files(&mut self, root: &Answer, fetched: &mut Fetched) -> Result<(), Failed> {
        for at in poll::turn(&self.site, self.first) {
            let url = self.site.files[at].url.clone();
            let cost = &mut self.gathered.cost;
            let (answer, conditional) =
                match part(self.shared, self.job, &url, self.inner, fetched, cost).await {
                    Part::Answer(answer, conditional) => (answer, conditional),
                    Part::NoTurn if self.first => {
                        let why = "the files of the index had no turn";
                        return self.failed(root, Err(PollError::new(ErrorKind::Timeout, why)));
                    }
                    Part::NoTurn => break,
                    Part::Failed(error) => return self.failed(root, Err(error)),
                };
            self.changed = true;
            match poll::judge(&answer, conditional) {
                Verdict::NotModified => poll::applied(&mut self.site.files[at], self.now),
                Verdict::Parse => self.read_file(at, *answer, fetched).await,
                Verdict::Gone | Verdict::Redirect => self.missing(at, &url, answer.status),
                Verdict::Failed(_) if answer.status == 404 => self.missing(at, &url, 404),
                Verdict::Failed(_) | Verdict::Throttled => return self.failed(root, Ok(answer)),
            }
        }
        Ok(())
    }

    /// What was had counts all the same, and what was not is still due. At first there is nothing that could be told apart
    /// later: all of it is asked for again.
    fn failed(&mut self, root: &Answer, end: Failed) -> Result<(), Failed> {
        let cost = &mut self.gathered.cost;
        match self.gathered.root {
            Root::Read { .. } => {
                cost.ok200 += 1;
                cost.bytes += root.body.wire;
            }
            Root::NotModified | Root::Unasked => cost.not_modified304 += 1,
        }
        if self.first {
            self.changed = false;
        } else if let Root::Read { .. } = self.gathered.root {
            let got = poll::validators(&root.headers);
            self.gathered.validators.push((root.url.clone(), Some(got)));
        }
        self.gathered.ends_with(end)
    }

    fn missing(&mut self, at: usize, url: &str, status: u16) {
        poll::applied(&mut self.site.files[at], self.now);
        self.warn(format!("{} was not had ({status})", config::masked(url)));
    }

    async fn read_file(&mut self, at: usize, mut answer: Answer, fetched: &mut Fetched) {
        let found = self.parse(&mut answer).await;
        fetched.grant = None;
        let got = poll::validators(&answer.headers);
        let url = config::masked(&self.site.files[at].url);
        self.site.files[at].asked = Some(self.now);
        match found {
            Ok((Ok(Sitemap::Pages { pages, .. }), _)) => {
                self.take(Some(at), pages);
                let file = &mut self.site.files[at];
                (file.read, file.validators) = (true, got);
                poll::applied(file, self.now);
            }
            Ok((Ok(Sitemap::Index(_)), _)) => {
                poll::applied(&mut self.site.files[at], self.now);
                self.warn(format!(
                    "{url} is an index inside of an index, and is not followed"
                ));
            }
            Ok((Err(error), _)) => {
                let error = refused(&answer, &url, &error, false);
                self.warn(format!("{url} could not be read: {error}"));
            }
            Err(error) => self.warn(format!("{url} could not be read: {error}")),
        }
    }

    fn end(mut self, root: &Answer, not_modified: bool) -> Gathered {
        let (news, more, seen) = self.reading.end();
        let gathered = &mut self.gathered;
        if not_modified {
            gathered.root = Root::NotModified;
        }
        if gathered.refused.is_some() || (self.first && !gathered.well) {
            return self.gathered;
        }
        if self.first
            && news.is_empty()
            && self.pages > 0
            && !self.job.subscription.paths.is_empty()
        {
            let pages = self.pages;
            gathered
                .warnings
                .push(format!("none of {pages} pages has the path that is wanted"));
        }
        if more > 0 {
            let most = poll::PAGES_A_POLL;
            gathered.warnings.push(format!(
                "{more} pages more are new than the {most} that are shown"
            ));
        }
        if let Some(about) = &mut gathered.about {
            about.site = Url::parse(&root.url)
                .ok()
                .map(|url| url.origin().ascii_serialization());
        }
        gathered.entries = parse::entries_of(news);
        if self.changed {
            if self.first {
                poll::settled(&mut self.site);
            }
            self.site.seen = seen;
            gathered.memory = Memory::Site(Box::new(self.site));
        }
        self.gathered
    }
}
