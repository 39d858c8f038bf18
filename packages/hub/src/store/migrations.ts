import type { Migration } from 'kysely'
import * as firstTables from './migrations/0001-first-tables.ts'
import * as ageOfKeys from './migrations/0002-age-of-keys.ts'
import * as packedBlobs from './migrations/0003-packed-blobs.ts'
import * as settledPacks from './migrations/0004-settled-packs.ts'
import * as runsOfOwners from './migrations/0005-runs-of-owners.ts'
import * as runTerms from './migrations/0006-terms-of-runs.ts'
import * as sandboxes from './migrations/0007-sandboxes.ts'
import * as secrets from './migrations/0008-secrets.ts'
import * as forks from './migrations/0009-forks.ts'
import * as setupCaches from './migrations/0010-setup-caches.ts'
import * as forksUnderWay from './migrations/0011-forks-under-way.ts'
import * as sessions from './migrations/0012-sessions.ts'
import * as desk from './migrations/0013-desk.ts'
import * as hooks from './migrations/0014-hooks.ts'
import * as waitingRuns from './migrations/0015-waiting-runs.ts'
import * as devices from './migrations/0016-devices.ts'
import * as seenRuns from './migrations/0022-seen-runs.ts'
import * as activeRuns from './migrations/0030-active-runs.ts'
import * as accounts from './migrations/0031-accounts.ts'
import * as delegatedTasks from './migrations/0032-delegated-tasks.ts'
import * as schedules from './migrations/0033-schedules.ts'
import * as requests from './migrations/0034-requests.ts'
import * as sharing from './migrations/0035-sharing.ts'

/** Every migration, in order of its name. One that was ever released is never changed again: write the next one. */
export const migrations: Record<string, Migration> = {
  '0001-first-tables': firstTables,
  '0002-age-of-keys': ageOfKeys,
  '0003-packed-blobs': packedBlobs,
  '0004-settled-packs': settledPacks,
  '0005-runs-of-owners': runsOfOwners,
  '0006-terms-of-runs': runTerms,
  '0007-sandboxes': sandboxes,
  '0008-secrets': secrets,
  '0009-forks': forks,
  '0010-setup-caches': setupCaches,
  '0011-forks-under-way': forksUnderWay,
  '0013-desk': desk,
  '0014-hooks': hooks,
  '0012-sessions': sessions,
  '0015-waiting-runs': waitingRuns,
  '0016-devices': devices,
  '0022-seen-runs': seenRuns,
  '0030-active-runs': activeRuns,
  '0031-accounts': accounts,
  '0032-delegated-tasks': delegatedTasks,
  '0033-schedules': schedules,
  '0034-requests': requests,
  '0035-sharing': sharing,
}
