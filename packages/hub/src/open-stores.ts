import { join } from 'node:path'
import type { Logger } from 'pino'
import { openSecret } from './access/secret.ts'
import { openVault } from './access/vault.ts'
import { openDiskBlobStore } from './blobs/disk-blob-store.ts'
import type { HubConfig } from './config/hub-config.ts'
import { openFileEventLog } from './log/file-event-log.ts'
import { refuseIfStoreIsLost } from './lost-store.ts'
import { removeHalfForks } from './runs/fork-run.ts'
import { packedPlaces } from './store/packed-places.ts'
import { recentBlobs } from './store/recent-blobs.ts'
import { openSqliteStore } from './store/sqlite-store.ts'
import { startSweeping } from './sweeping.ts'
import { unknownLogs } from './unknown-logs.ts'

/** Opens what a hub has on disk: tables, secrets, logs and contents, and starts the sweep of what is no longer needed. */
export async function openStores({ data, secretsKey }: HubConfig, logger: Logger, undo: (() => unknown)[]) {
  const store = await openSqliteStore(join(data, 'store.sqlite'), () => refuseIfStoreIsLost(data))
  undo.push(() => store.close())
  const { db } = store
  recentBlobs(db).onTrouble = (err) =>
    logger.error({ err }, 'rows of blobs could not be written yet; their segments hold the same data')
  const secret = await openSecret(data)
  const vault = await openVault(data, db, secretsKey)
  const logs = join(data, 'logs')
  const log = await openFileEventLog({ dir: logs, logger })
  undo.push(() => log.close())
  await removeHalfForks({ db, log }).catch((err) =>
    logger.error({ err }, 'could not remove what an interrupted fork left behind'),
  )
  const blobs = await openDiskBlobStore(join(data, 'files'), packedPlaces(db))
  undo.push(() => blobs.close())
  const sweeping = startSweeping({ db, log, blobs, logger, unknownLogs: () => unknownLogs(db, logs) })
  undo.push(() => sweeping.stop())
  return { db, secret, vault, log, blobs }
}
