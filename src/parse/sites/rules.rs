//! Where sites keep their feeds, as data. Each rule has a page in `tests/sites`.

/// How a site is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Site {
    /// By its host: each stands for itself and all below it, with a dot in front only for those below, with `=` for itself alone.
    Hosts(&'static [&'static str]),
    /// By what its pages say of themselves, whatever the host: any of these.
    Says(&'static [&'static str]),
}

/// Where a site keeps the feed of a page.
#[derive(Debug)]
pub(super) struct Rule {
    pub site: Site,
    /// A part of a path is itself, or takes with `{}` anything, `{#}` digits, `{-}` a plain word, `{@}` a number with an `@`; `*` fits any rest. `?name`
    /// takes the value of the query.
    pub path: &'static str,
    /// `{1}`, `{2}`: what was taken; `{host}`, `{site}` with its scheme, `{path}`; `{value}`: what `value` found.
    pub feed: &'static str,
    pub title: &'static str,
    pub kind: &'static str,
    /// The feed needs a value that stands in the page behind one of these marks.
    pub value: Option<&'static [&'static str]>,
}

#[rustfmt::skip]
const fn rule(site: Site, path: &'static str, feed: &'static str, title: &'static str, kind: &'static str) -> Rule {
    Rule { site, path, feed, title, kind, value: None }
}

#[rustfmt::skip]
const fn looked_up(site: Site, path: &'static str, value: &'static [&'static str], feed: &'static str, title: &'static str, kind: &'static str) -> Rule {
    Rule { site, path, feed, title, kind, value: Some(value) }
}

#[rustfmt::skip]
const YOUTUBE: Site = Site::Hosts(&["youtube.com"]);
const CHANNEL_ID: &[&str] = &[
    "\"externalId\":\"",
    "itemprop=\"channelId\" content=\"",
    "itemprop=\"identifier\" content=\"",
    "\"channelId\":\"",
];
const VIDEOS: &str = "https://www.youtube.com/feeds/videos.xml?channel_id={value}";
#[rustfmt::skip]
const REDDIT: Site = Site::Hosts(&["reddit.com"]);
#[rustfmt::skip]
const GITHUB: Site = Site::Hosts(&["github.com"]);
#[rustfmt::skip]
const GITLAB: Site = Site::Hosts(&["gitlab.com", "gitlab.gnome.org", "gitlab.freedesktop.org", "invent.kde.org", "salsa.debian.org", "framagit.org"]);
#[rustfmt::skip]
const GITLAB_SAYS: Site = Site::Says(&["content=\"GitLab\" property=\"og:site_name\"", "property=\"og:site_name\" content=\"GitLab\"", "content=\"GitLab\""]);
#[rustfmt::skip]
const GITEA: Site = Site::Hosts(&["codeberg.org", "gitea.com", "git.disroot.org"]);
#[rustfmt::skip]
const GITEA_SAYS: Site = Site::Says(&["content=\"go,git,self-hosted,gitea\"", "content=\"git,forge,forgejo\""]);
#[rustfmt::skip]
const SOURCEHUT: Site = Site::Hosts(&["git.sr.ht"]);
#[rustfmt::skip]
const MASTODON: Site = Site::Hosts(&["mastodon.social", "mastodon.online", "fosstodon.org", "hachyderm.io", "mstdn.social", "infosec.exchange", "mas.to", "techhub.social", "chaos.social", "social.linux.pizza", "floss.social", "ruby.social", "phpc.social", "mathstodon.xyz"]);
#[rustfmt::skip]
const MASTODON_SAYS: Site = Site::Says(&["id=\"mastodon\"", "id='mastodon'", "content='Mastodon'", "content=\"Mastodon\""]);
#[rustfmt::skip]
const MISSKEY_SAYS: Site = Site::Says(&["content=\"Misskey\"", "content=\"Sharkey\""]);
#[rustfmt::skip]
const BLUESKY: Site = Site::Hosts(&["bsky.app"]);
#[rustfmt::skip]
const LEMMY: Site = Site::Hosts(&["lemmy.world", "lemmy.ml", "beehaw.org", "programming.dev", "sh.itjust.works", "feddit.org", "lemmy.zip", "lemm.ee"]);
#[rustfmt::skip]
const LEMMY_SAYS: Site = Site::Says(&["class=\"lemmy-site\""]);
#[rustfmt::skip]
const PEERTUBE_SAYS: Site = Site::Says(&["property=\"og:platform\" content=\"PeerTube\""]);
#[rustfmt::skip]
const DISCOURSE_SAYS: Site = Site::Says(&["content=\"Discourse "]);
#[rustfmt::skip]
const MEDIUM: Site = Site::Hosts(&["medium.com"]);
#[rustfmt::skip]
const STACK: Site = Site::Hosts(&["stackoverflow.com", "serverfault.com", "superuser.com", "askubuntu.com", "mathoverflow.net", "stackexchange.com"]);
#[rustfmt::skip]
const LOBSTERS: Site = Site::Hosts(&["lobste.rs"]);
#[rustfmt::skip]
const DEV: Site = Site::Hosts(&["dev.to"]);
#[rustfmt::skip]
const TUMBLR: Site = Site::Hosts(&["=www.tumblr.com", "=tumblr.com"]);
#[rustfmt::skip]
const WORDPRESS: Site = Site::Hosts(&[".wordpress.com"]);
#[rustfmt::skip]
const BLOGGER: Site = Site::Hosts(&[".blogspot.com", ".blogspot.de", ".blogspot.fr", ".blogspot.co.uk", ".blogspot.in"]);
#[rustfmt::skip]
const FLICKR: Site = Site::Hosts(&["flickr.com"]);
const ATOM: &str = "Atom";
const RSS: &str = "RSS";
const JSON: &str = "JSON Feed";

/// Rules are tried in order; every one that fits gives a candidate.
#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    // Videos and sound.
    rule(YOUTUBE, "/channel/{-}/*", "https://www.youtube.com/feeds/videos.xml?channel_id={1}", "Videos of this channel", ATOM),
    rule(YOUTUBE, "/user/{-}/*", "https://www.youtube.com/feeds/videos.xml?user={1}", "Videos of {1}", ATOM),
    rule(YOUTUBE, "/playlist?list", "https://www.youtube.com/feeds/videos.xml?playlist_id={1}", "This playlist", ATOM),
    looked_up(YOUTUBE, "/@{}/*", CHANNEL_ID, VIDEOS, "Videos of @{1}", ATOM),
    looked_up(YOUTUBE, "/c/{}/*", CHANNEL_ID, VIDEOS, "Videos of {1}", ATOM),
    looked_up(YOUTUBE, "/watch", CHANNEL_ID, VIDEOS, "Videos of this channel", ATOM),
    rule(Site::Hosts(&["vimeo.com"]), "/{}", "https://vimeo.com/{1}/videos/rss", "Videos of {1}", RSS),
    rule(Site::Hosts(&["dailymotion.com"]), "/{-}", "https://www.dailymotion.com/rss/user/{1}", "Videos of {1}", RSS),
    rule(Site::Hosts(&["odysee.com"]), "/@{}", "https://odysee.com/$/rss/@{1}", "Videos of @{1}", RSS),
    rule(PEERTUBE_SAYS, "/c/{}/*", "{site}/feeds/videos.xml?videoChannelName={1}", "Videos of {1}", RSS),
    rule(PEERTUBE_SAYS, "/a/{}/*", "{site}/feeds/videos.xml?accountName={1}", "Videos of {1}", RSS),
    looked_up(Site::Hosts(&["soundcloud.com"]), "/{}/*", &["soundcloud://users:"], "https://feeds.soundcloud.com/users/soundcloud:users:{value}/sounds.rss", "Sounds of {1}", RSS),
    looked_up(Site::Hosts(&["podcasts.apple.com", "itunes.apple.com"]), "/*", &["\"feedUrl\":\"", "\"feedUrl\": \""], "{value}", "This podcast", RSS),
    // Talk.
    rule(REDDIT, "/r/{}", "https://www.reddit.com/r/{1}/.rss", "r/{1}", ATOM),
    rule(REDDIT, "/r/{}/comments/{}/*", "https://www.reddit.com/r/{1}/comments/{2}/.rss", "Comments of this post", ATOM),
    rule(REDDIT, "/r/{}/top", "https://www.reddit.com/r/{1}/top/.rss", "The top of r/{1}", ATOM),
    rule(REDDIT, "/r/{}/new", "https://www.reddit.com/r/{1}/new/.rss", "The newest of r/{1}", ATOM),
    rule(REDDIT, "/user/{}/*", "https://www.reddit.com/user/{1}/.rss", "u/{1}", ATOM),
    rule(REDDIT, "/u/{}/*", "https://www.reddit.com/user/{1}/.rss", "u/{1}", ATOM),
    rule(REDDIT, "/user/{}/m/{}", "https://www.reddit.com/user/{1}/m/{2}/.rss", "{2} of u/{1}", ATOM),
    rule(Site::Hosts(&["news.ycombinator.com"]), "/*", "https://news.ycombinator.com/rss", "Hacker News", RSS),
    rule(LOBSTERS, "/t/{}", "https://lobste.rs/t/{1}.rss", "Tag {1} of Lobsters", RSS),
    rule(LOBSTERS, "/~{}", "https://lobste.rs/~{1}/stories.rss", "{1} on Lobsters", RSS),
    rule(LOBSTERS, "/newest", "https://lobste.rs/newest.rss", "Newest of Lobsters", RSS),
    rule(LOBSTERS, "/", "https://lobste.rs/rss", "Lobsters", RSS),
    rule(Site::Hosts(&["tildes.net"]), "/~{}", "https://tildes.net/~{1}/topics.rss", "~{1}", RSS),
    rule(STACK, "/questions/tagged/{}", "{site}/feeds/tag/{1}", "Questions tagged {1}", ATOM),
    rule(STACK, "/questions/{#}/*", "{site}/feeds/question/{1}", "Answers to this question", ATOM),
    rule(STACK, "/users/{#}/*", "{site}/feeds/user/{1}", "This user", ATOM),
    rule(STACK, "/questions", "{site}/feeds", "Newest questions", ATOM),
    rule(DISCOURSE_SAYS, "/t/{}/{#}/*", "{site}/t/{1}/{2}.rss", "This topic", RSS),
    rule(DISCOURSE_SAYS, "/c/{}/{#}", "{site}/c/{1}/{2}.rss", "Topics of {1}", RSS),
    rule(DISCOURSE_SAYS, "/c/{}/{}/{#}", "{site}/c/{1}/{2}/{3}.rss", "Topics of {2}", RSS),
    rule(DISCOURSE_SAYS, "/tag/{}", "{site}/tag/{1}.rss", "Topics tagged {1}", RSS),
    rule(DISCOURSE_SAYS, "/", "{site}/latest.rss", "Latest topics", RSS),
    rule(LEMMY, "/c/{}", "{site}/feeds/c/{1}.xml?sort=New", "{1}", RSS),
    rule(LEMMY, "/u/{}", "{site}/feeds/u/{1}.xml?sort=New", "{1}", RSS),
    rule(LEMMY_SAYS, "/c/{}", "{site}/feeds/c/{1}.xml?sort=New", "{1}", RSS),
    rule(LEMMY_SAYS, "/u/{}", "{site}/feeds/u/{1}.xml?sort=New", "{1}", RSS),
    rule(MASTODON, "/@{}/with_replies", "{site}/@{1}.rss", "@{1}", RSS),
    rule(MASTODON, "/@{}", "{site}/@{1}.rss", "@{1}", RSS),
    rule(MASTODON, "/tags/{}", "{site}/tags/{1}.rss", "#{1}", RSS),
    rule(MASTODON_SAYS, "/@{}", "{site}/@{1}.rss", "@{1}", RSS),
    rule(MASTODON_SAYS, "/tags/{}", "{site}/tags/{1}.rss", "#{1}", RSS),
    rule(MISSKEY_SAYS, "/@{}", "{site}/@{1}.atom", "@{1}", ATOM),
    rule(BLUESKY, "/profile/{}", "https://bsky.app/profile/{1}/rss", "{1} on Bluesky", RSS),
    // Code.
    rule(GITHUB, "/{}/{}", "https://github.com/{1}/{2}/releases.atom", "Releases of {2}", ATOM),
    rule(GITHUB, "/{}/{}/releases/*", "https://github.com/{1}/{2}/releases.atom", "Releases of {2}", ATOM),
    rule(GITHUB, "/{}/{}", "https://github.com/{1}/{2}/tags.atom", "Tags of {2}", ATOM),
    rule(GITHUB, "/{}/{}/tags", "https://github.com/{1}/{2}/tags.atom", "Tags of {2}", ATOM),
    rule(GITHUB, "/{}/{}", "https://github.com/{1}/{2}/commits.atom", "Commits of {2}", ATOM),
    rule(GITHUB, "/{}/{}/commits", "https://github.com/{1}/{2}/commits.atom", "Commits of {2}", ATOM),
    rule(GITHUB, "/{}/{}/commits/{}", "https://github.com/{1}/{2}/commits/{3}.atom", "Commits of {2}, {3}", ATOM),
    rule(GITHUB, "/{}/{}/tree/{}", "https://github.com/{1}/{2}/commits/{3}.atom", "Commits of {2}, {3}", ATOM),
    rule(GITHUB, "/{}/{}/discussions", "https://github.com/{1}/{2}/discussions.atom", "Discussions of {2}", ATOM),
    rule(GITHUB, "/{}", "https://github.com/{1}.atom", "What {1} does", ATOM),
    rule(GITLAB, "/{}/{}", "{site}/{1}/{2}/-/tags?format=atom", "Tags of {2}", ATOM),
    rule(GITLAB, "/{}/{}", "{site}/{1}/{2}.atom", "Activity of {2}", ATOM),
    rule(GITLAB, "/{}/{}/-/tags", "{site}/{1}/{2}/-/tags?format=atom", "Tags of {2}", ATOM),
    rule(GITLAB, "/{}/{}/-/releases", "{site}/{1}/{2}/-/releases.atom", "Releases of {2}", ATOM),
    rule(GITLAB, "/{}/{}/-/commits/{}", "{site}/{1}/{2}/-/commits/{3}?format=atom", "Commits of {2}, {3}", ATOM),
    rule(GITLAB_SAYS, "/{}/{}", "{site}/{1}/{2}/-/tags?format=atom", "Tags of {2}", ATOM),
    rule(GITLAB_SAYS, "/{}/{}", "{site}/{1}/{2}.atom", "Activity of {2}", ATOM),
    rule(GITEA, "/{}/{}", "{site}/{1}/{2}/releases.rss", "Releases of {2}", RSS),
    rule(GITEA, "/{}/{}", "{site}/{1}/{2}.rss", "Activity of {2}", RSS),
    rule(GITEA, "/{}/{}/releases", "{site}/{1}/{2}/releases.rss", "Releases of {2}", RSS),
    rule(GITEA, "/{}/{}/tags", "{site}/{1}/{2}/tags.rss", "Tags of {2}", RSS),
    rule(GITEA, "/{}/{}/commits/branch/{}", "{site}/{1}/{2}/rss/branch/{3}", "Commits of {2}, {3}", RSS),
    rule(GITEA, "/{}", "{site}/{1}.rss", "What {1} does", RSS),
    rule(GITEA_SAYS, "/{}/{}", "{site}/{1}/{2}/releases.rss", "Releases of {2}", RSS),
    rule(GITEA_SAYS, "/{}/{}", "{site}/{1}/{2}.rss", "Activity of {2}", RSS),
    rule(SOURCEHUT, "/~{}/{}", "https://git.sr.ht/~{1}/{2}/refs/rss.xml", "Releases of {2}", RSS),
    rule(SOURCEHUT, "/~{}/{}", "https://git.sr.ht/~{1}/{2}/log/rss.xml", "Commits of {2}", RSS),
    rule(SOURCEHUT, "/~{}/{}/refs", "https://git.sr.ht/~{1}/{2}/refs/rss.xml", "Releases of {2}", RSS),
    rule(SOURCEHUT, "/~{}/{}/log", "https://git.sr.ht/~{1}/{2}/log/rss.xml", "Commits of {2}", RSS),
    rule(Site::Says(&["name='generator' content='cgit", "name=\"generator\" content=\"cgit"]), "/*", "{site}{path}/atom/", "Commits", ATOM),
    rule(Site::Hosts(&["sourceforge.net"]), "/projects/{}/*", "https://sourceforge.net/projects/{1}/rss", "Files of {1}", RSS),
    rule(Site::Hosts(&["pypi.org"]), "/project/{}/*", "https://pypi.org/rss/project/{1}/releases.xml", "Releases of {1}", RSS),
    rule(Site::Hosts(&["crates.io"]), "/crates/{-}/*", "https://static.crates.io/rss/crates/{1}.xml", "Versions of {1}", RSS),
    rule(Site::Hosts(&["tracker.debian.org"]), "/pkg/{}", "https://tracker.debian.org/pkg/{1}/rss", "News of {1}", RSS),
    rule(Site::Hosts(&["launchpad.net"]), "/{-}", "https://feeds.launchpad.net/{1}/announcements.atom", "Announcements of {1}", ATOM),
    // Writing.
    rule(MEDIUM, "/@{}/*", "https://medium.com/feed/@{1}", "@{1} on Medium", RSS),
    rule(MEDIUM, "/tag/{}/*", "https://medium.com/feed/tag/{1}", "Tag {1} on Medium", RSS),
    rule(MEDIUM, "/{}", "https://medium.com/feed/{1}", "{1} on Medium", RSS),
    rule(Site::Hosts(&[".medium.com"]), "/*", "{site}/feed", "{host}", RSS),
    rule(Site::Says(&["property=\"al:ios:app_name\" content=\"Medium\""]), "/*", "{site}/feed", "{host}", RSS),
    rule(Site::Hosts(&[".substack.com"]), "/*", "https://{host}/feed", "{host}", RSS),
    rule(Site::Says(&["https://substackcdn.com/"]), "/*", "{site}/feed", "{host}", RSS),
    rule(Site::Hosts(&[".tumblr.com"]), "/*", "https://{host}/rss", "{host}", RSS),
    rule(TUMBLR, "/{-}/*", "https://{1}.tumblr.com/rss", "{1}", RSS),
    rule(WORDPRESS, "/category/{}", "{site}/category/{1}/feed/", "{1} of {host}", RSS),
    rule(WORDPRESS, "/tag/{}", "{site}/tag/{1}/feed/", "{1} of {host}", RSS),
    rule(WORDPRESS, "/*", "{site}/feed/", "{host}", RSS),
    rule(Site::Says(&["name=\"generator\" content=\"WordPress"]), "/*", "{site}/feed/", "{host}", RSS),
    rule(BLOGGER, "/search/label/{}", "{site}/feeds/posts/default/-/{1}", "{1} of {host}", ATOM),
    rule(BLOGGER, "/*", "{site}/feeds/posts/default", "{host}", ATOM),
    rule(Site::Says(&["content='blogger' name='generator'", "name=\"generator\" content=\"blogger\""]), "/*", "{site}/feeds/posts/default", "{host}", ATOM),
    rule(Site::Says(&["name=\"generator\" content=\"Ghost "]), "/*", "{site}/rss/", "{host}", RSS),
    rule(Site::Says(&["<!-- This is Squarespace. -->"]), "/*", "{site}{path}?format=rss", "{host}", RSS),
    rule(DEV, "/t/{}", "https://dev.to/feed/tag/{1}", "Tag {1} on DEV", RSS),
    rule(DEV, "/{}", "https://dev.to/feed/{1}", "{1} on DEV", RSS),
    rule(Site::Hosts(&[".bearblog.dev"]), "/*", "{site}/feed/", "{host}", ATOM),
    rule(Site::Hosts(&[".micro.blog"]), "/*", "{site}/feed.xml", "{host}", RSS),
    rule(Site::Hosts(&[".micro.blog"]), "/", "{site}/feed.json", "{host}", JSON),
    rule(Site::Hosts(&["write.as"]), "/{}", "https://write.as/{1}/feed/", "{1}", RSS),
    rule(Site::Hosts(&["buttondown.com", "buttondown.email"]), "/{}/*", "https://buttondown.com/{1}/rss", "{1}", RSS),
    // Pictures, shelves, papers.
    rule(FLICKR, "/photos/{@}/*", "https://www.flickr.com/services/feeds/photos_public.gne?id={1}", "Photos", ATOM),
    looked_up(FLICKR, "/photos/{}/*", &["\"nsid\":\"", "photos_public.gne?id="], "https://www.flickr.com/services/feeds/photos_public.gne?id={value}", "Photos of {1}", ATOM),
    rule(Site::Hosts(&["deviantart.com"]), "/{-}", "https://backend.deviantart.com/rss.xml?type=deviation&q=by%3A{1}+sort%3Atime", "{1} on DeviantArt", RSS),
    rule(Site::Hosts(&["pinterest.com"]), "/{-}", "https://www.pinterest.com/{1}/feed.rss", "{1} on Pinterest", RSS),
    rule(Site::Hosts(&["letterboxd.com"]), "/{-}", "https://letterboxd.com/{1}/rss/", "{1} on Letterboxd", RSS),
    rule(Site::Hosts(&["pinboard.in"]), "/u:{}", "https://feeds.pinboard.in/rss/u:{1}/", "{1} on Pinboard", RSS),
    rule(Site::Hosts(&["store.steampowered.com"]), "/app/{#}/*", "https://store.steampowered.com/feeds/news/app/{1}/", "News of this game", RSS),
    rule(Site::Hosts(&["arxiv.org"]), "/list/{}/*", "https://rss.arxiv.org/rss/{1}", "{1} on arXiv", RSS),
];

/// First parts of a path that are a site's own and nobody's name.
#[rustfmt::skip]
pub(super) const RESERVED: &[&str] = &[
    "about", "account", "apps", "blog", "categories", "channels", "collections", "contact", "contribute", "customer-stories", "dashboard", "enter", "enterprise",
    "events", "explore", "features", "followers", "following", "help", "home", "ideas", "issues", "join", "log_in", "login", "logout", "m", "marketplace", "me", "new",
    "notifications", "organizations", "orgs", "plans", "pricing", "privacy", "projects", "pulls", "search", "security", "sessions", "settings",
    "signin", "signup", "sponsors", "stars", "tag", "tagged", "tags", "team", "terms", "topics", "trending", "upload", "user", "users", "watch",
];
