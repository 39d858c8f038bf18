import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { HubConfig } from '@farhand/hub/config/hub-config'
import { startHub } from '@farhand/hub/hub'
import { onTestFinished } from 'vitest'
import { runCommand } from '../../command-line/run-command.ts'
import { testContext } from '../../context/command-context-under-test.ts'
import { farhandBin, ownEnv, temporaryFolder } from '../../farhand-under-test.ts'

export type HubHere = { url: string; token: string }

/** A hub in this process with nothing in it, as its owner sees it; `stop` leaves nothing of it. */
export async function hubHere(): Promise<{ hub: HubHere; stop: () => Promise<void> }> {
  const data = await mkdtemp(path.join(tmpdir(), 'farhand-'))
  const { url, ownerToken, stop } = await startHub(HubConfig.parse({ port: 0, data, logLevel: 'silent' }))
  return {
    hub: { url, token: ownerToken! },
    async stop() {
      await stop()
      await rm(data, { recursive: true, force: true })
    },
  }
}

/**
 * The command that runs a hub, with all that belongs to it, in this process until the test is over: to start another one
 * takes longer than most tests. Those that kill their hub need one in a process of its own.
 */
export async function hubCommandHere(...settings: string[]): Promise<HubHere & { data: string }> {
  const data = await temporaryFolder()
  const stop = new AbortController()
  const ended = new AbortController()
  const first = new Promise<HubHere>((resolve, reject) => {
    const context = testContext({
      out: (text) => resolve(JSON.parse(text)),
      self: [process.execPath, farhandBin],
      env: ownEnv(),
      stop: stop.signal,
    })
    const words = ['hub', '--port', '0', '--data', data, '--log-level', 'silent', '--json', ...settings]
    runCommand(words, context)
      .catch(reject)
      .finally(() => ended.abort())
  })
  onTestFinished(async () => {
    stop.abort()
    if (!ended.signal.aborted) await once(ended.signal, 'abort')
  })
  return { ...(await first), data }
}
