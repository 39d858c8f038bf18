import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomName } from '@farhand/protocol/wire/ids'
import { ownAgent } from '@farhand/testkit/own-agent'
import { onTestFinished } from 'vitest'
import { LocalConnection } from './local-connection.ts'

// Two agents of one name would end each other, and tests run side by side.
export const sessionId = `test ${randomName()}`

/** A connection to the rehearsal agent in a folder of its own; both are gone when the test is over. */
export async function openLocalConnection(
  onFault: (error: unknown) => void = (error) => {
    throw error
  },
): Promise<LocalConnection> {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-local-'))
  const { PATH = '', HOME = '' } = process.env
  const command = {
    ...ownAgent('rehearsal'),
    env: { PATH, HOME, REHEARSAL_HOME: join(folder, '.rehearsal') },
    cwd: folder,
  }
  const connection = new LocalConnection({ sessionId, agent: { id: 'rehearsal', command }, onFault })
  onTestFinished(async () => {
    await connection.close()
    await rm(folder, { recursive: true, force: true })
  })
  return connection
}
