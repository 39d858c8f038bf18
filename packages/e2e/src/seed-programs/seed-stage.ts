import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HubConfig } from '@farhand/hub/config/hub-config'
import { HubUnderTest } from '@farhand/hub/http/hub-under-test'
import { WorkspaceTree } from '@farhand/protocol/files/workspace-tree'
import { paths, type RunAddress } from '@farhand/protocol/wire/routes'
import { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { onTestFinished } from 'vitest'

export type Access = { runUrl: string; runId: string; token: string; folder: string }

/** A hub with a run, and what a program written from a document is given: an address, a token and an empty folder. */
export type DocumentStage = {
  hub: HubUnderTest
  at: RunAddress
  client: () => Promise<Access>
  sandbox: () => Promise<Access>
}

export async function documentStage(settings: Partial<HubConfig> = {}): Promise<DocumentStage> {
  const hub = await HubUnderTest.start(settings)
  const at = await hub.run()
  const runUrl = new URL(paths.run(at), hub.hub.url).href
  const access = async (token: string) => ({ runUrl, runId: at.run, token, folder: await emptyFolder() })
  return {
    hub,
    at,
    client: () => access(hub.token),
    sandbox: async () => access((await hub.runner(at)).token),
  }
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farhand-documents-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The files of the run as every reader of ours folds them from its log, with their contents. */
export async function workspaceOf({ hub, at }: DocumentStage): Promise<Record<string, string>> {
  const log = await hub.ask('GET', paths.log(at))
  const tree = new WorkspaceTree()
  for (const line of String(log.body).split('\n')) {
    if (line !== '') tree.apply(SeenEvent.parse(JSON.parse(line)))
  }
  const files: Record<string, string> = {}
  for (const { path, entry } of tree.files()) {
    const { body } = await hub.ask('GET', `${paths.fileUrl(at)}?hash=${entry.hash}`)
    files[path] = await (await fetch(body.url)).text()
  }
  return files
}
