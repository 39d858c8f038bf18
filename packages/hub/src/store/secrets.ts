import type { ListedSecret, SecretKind } from '@farhand/protocol/schemas/secrets'
import type { ProjectId } from '@farhand/protocol/wire/ids'
import type { Db, Tables } from './tables.ts'

/** A stored secret. Its value can only be read with the key that `keyId` names. */
export type SecretRow = {
  project: ProjectId
  name: string
  kind: SecretKind
  remote: string | null
  keyId: string
  sealed: string
}

/** Stores a secret, replacing one of the same name; null if the project has `most` others already. */
export async function keepSecret(
  db: Db,
  row: SecretRow,
  most: number,
  now: Date,
): Promise<ListedSecret | null> {
  const { project, name, kind, remote, keyId, sealed } = row
  const said = { kind, remote, key_id: keyId, sealed, updated_at: now.toISOString() }
  return db.transaction().execute(async (trx) => {
    const { others } = await trx
      .selectFrom('secrets')
      .select(({ fn }) => fn.countAll().as('others'))
      .where('project_id', '=', project)
      .where('name', '!=', name)
      .executeTakeFirstOrThrow()
    if (Number(others) >= most) return null
    const kept = await trx
      .insertInto('secrets')
      .values({ project_id: project, name, ...said, created_at: now.toISOString() })
      .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet(said))
      .returningAll()
      .executeTakeFirstOrThrow()
    return listed(kept)
  })
}

/** The secrets of a project by name, without their values. */
export async function listSecrets(db: Db, project: ProjectId): Promise<ListedSecret[]> {
  const rows = await db
    .selectFrom('secrets')
    .select(['name', 'kind', 'remote', 'created_at', 'updated_at'])
    .where('project_id', '=', project)
    .orderBy('name')
    .execute()
  return rows.map(listed)
}

/** Deletes a secret; false if there was none. */
export async function forgetSecret(db: Db, project: ProjectId, name: string): Promise<boolean> {
  const gone = await db
    .deleteFrom('secrets')
    .where('project_id', '=', project)
    .where('name', '=', name)
    .returning('name')
    .executeTakeFirst()
  return gone !== undefined
}

/** Secrets with their sealed values, by name, filtered by project, kind or key. */
export async function sealedSecrets(
  db: Db,
  { project, kind, keyId }: { project?: ProjectId; kind?: SecretKind; keyId?: string },
): Promise<SecretRow[]> {
  const rows = await db
    .selectFrom('secrets')
    .selectAll()
    .$if(project !== undefined, (query) => query.where('project_id', '=', project!))
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind!))
    .$if(keyId !== undefined, (query) => query.where('key_id', '=', keyId!))
    .orderBy('project_id')
    .orderBy('name')
    .execute()
  return rows.map(({ project_id: project, name, kind, remote, key_id: keyId, sealed }) => ({
    project,
    name,
    kind,
    remote,
    keyId,
    sealed,
  }))
}

/** Stores the values sealed with a new key: all of them or none. */
export async function resealSecrets(db: Db, rows: readonly SecretRow[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const { project, name, keyId, sealed } of rows) {
      await trx
        .updateTable('secrets')
        .set({ key_id: keyId, sealed })
        .where('project_id', '=', project)
        .where('name', '=', name)
        .execute()
    }
  })
}

type Row = Pick<Tables['secrets'], 'name' | 'kind' | 'remote' | 'created_at' | 'updated_at'>

function listed({ name, kind, remote, created_at, updated_at }: Row): ListedSecret {
  const shown = { name, kind, createdAt: created_at, updatedAt: updated_at }
  return remote === null ? shown : { ...shown, remote }
}
