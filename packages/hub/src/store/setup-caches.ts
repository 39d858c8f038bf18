import type { SetupCache } from '@farhand/protocol/schemas/setup-cache'
import type { ProjectId, RunId } from '@farhand/protocol/wire/ids'
import type { Db } from './tables.ts'

/** Stores a setup cache under this key, replacing the earlier one. */
export async function keepSetupCache(
  db: Db,
  at: { project: ProjectId; key: string; madeBy: RunId },
  { hash, paths, tree }: SetupCache,
  now: Date,
): Promise<void> {
  const said = { hash, paths: JSON.stringify(paths), tree, made_by: at.madeBy, created_at: now.toISOString() }
  await db
    .insertInto('setup_caches')
    .values({ project_id: at.project, key: at.key, ...said })
    .onConflict((conflict) => conflict.columns(['project_id', 'key']).doUpdateSet(said))
    .execute()
}

/** The setup cache of this key; the caller has to check whether its blob still exists. */
export async function findSetupCache(db: Db, project: ProjectId, key: string): Promise<SetupCache | null> {
  const row = await db
    .selectFrom('setup_caches')
    .select(['hash', 'paths', 'tree'])
    .where('project_id', '=', project)
    .where('key', '=', key)
    .executeTakeFirst()
  return row ? { ...row, paths: JSON.parse(row.paths) } : null
}

/** Deletes setup caches made before this time whose blobs do not exist, in all projects. */
export async function forgetEmptySetupCaches(db: Db, before: Date): Promise<void> {
  await db
    .deleteFrom('setup_caches')
    .where('created_at', '<', before.toISOString())
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('blobs')
            .select('blobs.hash')
            .whereRef('blobs.project_id', '=', 'setup_caches.project_id')
            .whereRef('blobs.hash', '=', 'setup_caches.hash'),
        ),
      ),
    )
    .execute()
}
