//! The row `offline` of `meta`.

use serde::{Deserialize, Serialize};

use super::{Record, record};
use crate::model::{Offline, Timestamp};

/// `meta`, `offline`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OfflineV1 {
    pub until: i64,
    pub probes: u32,
}

record!(OfflineV1, "meta");

impl From<Offline> for OfflineV1 {
    fn from(offline: Offline) -> Self {
        Self {
            until: offline.until.0,
            probes: offline.probes,
        }
    }
}

impl OfflineV1 {
    pub(crate) const fn model(self) -> Offline {
        Offline {
            until: Timestamp(self.until),
            probes: self.probes,
        }
    }
}
