import path from 'node:path'
import { addressOf, closeRun } from '@farhand/client/resources/resources'
import { rememberAgent } from '@farhand/device/installed-agents/folder-agent'
import type { KnownRun, KnownRuns } from '@farhand/device/known-runs/known-runs'
import { restoreLink } from '@farhand/device/linked-folders/restore-link'
import { patienceMs } from '@farhand/device/requests/patience-ms'
import { Trouble } from '@farhand/device/trouble/trouble'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { RunPlace } from '@farhand/device/worktrees/find-run-place'
import { StateFolder } from '@farhand/sync/state/state-folder'
import { hubTrouble } from '../../command-line/errors/hub-trouble.ts'
import type { CommandContext } from '../../context/command-context.ts'
import { firstLook } from '../first-look/first-look.ts'
import { warmUserDevice } from '../link/ensure-user-device.ts'
import type { OpenedRun } from './join-run.ts'
import { createIn } from './new-run.ts'
import { prepareWorkspace } from './prepare-workspace.ts'
import type { AgentRunFlags } from './run-flags.ts'
import { agentForSandbox } from './sandbox-agent.ts'
import type { SandboxAsked } from './sandbox-flags.ts'
import { placeForSandbox } from './sandbox-place.ts'
import type { Begun, StartMarks } from './start-times.ts'

type Here = { runs: KnownRuns; stateFolderPath: string; since: number }

type SandboxRun = Pick<OpenedRun, 'hub' | 'at' | 'known' | 'link' | 'begun'>

/**
 * Makes a run whose agent works in a sandbox of the hub; resolves when the hub has all files that the agent needs. An
 * error before that leaves no open run behind; null if the user stops it.
 */
export async function newSandboxRun(
  prompt: string | undefined,
  asked: SandboxAsked,
  flags: AgentRunFlags,
  here: Here,
  context: CommandContext,
): Promise<SandboxRun | null> {
  const state = new StateFolder(here.stateFolderPath)
  const hasFolder = asked.terms.clone === undefined || flags.folder !== undefined
  const device = hasFolder ? warmUserDevice(here.stateFolderPath, context) : null
  let place: RunPlace | null = null
  let run: SandboxRun | null = null
  try {
    place = await placeForSandbox(prompt, asked, flags, state, context)
    run = await runIn(place, prompt, asked, flags, here, context)
    return run
  } finally {
    device?.end()
    if (place && !run) {
      const { discardPlace } = await import('@farhand/device/worktrees/find-run-place')
      await discardPlace(place, state, context)
    }
  }
}

async function runIn(
  { workspace, origin, worktree }: RunPlace,
  prompt: string | undefined,
  asked: SandboxAsked,
  flags: AgentRunFlags,
  { runs, stateFolderPath, since }: Here,
  context: CommandContext,
): Promise<SandboxRun | null> {
  const { kind, terms } = asked
  const state = new StateFolder(stateFolderPath)
  const isClone = terms.clone !== undefined
  const before = workspace === '' ? null : state.find(workspace)
  const { agent, hub } = await agentForSandbox(origin, asked, flags, state, context)
  const { url, token } = hub
  // Before the run is made: a user who does not want to send this folder leaves nothing behind.
  if (!isClone) await firstLook(workspace, { state, hub: url, flags, withCommits: true }, context)
  const mode = flags.background ? 'background' : 'interactive'
  const name = isClone ? path.basename(new URL(terms.clone!.url).pathname, '.git') : path.basename(origin)
  const project = name || 'clone'
  const { bringForRun } = await import('../bring/bring-for-run.ts')
  const making = async () => {
    const bring = await bringForRun({ flags, stateFolderPath, hub, agent, project, terms }, context)
    const wanted = { agent, mode, sandbox: kind, terms: bring.terms } as const
    return { bring, run: await createIn(hub, project, prompt, wanted, context) }
  }
  const made = await making().catch((error: unknown) => {
    if (context.stop.aborted) return null
    throw hubTrouble(error, url, context) ?? error
  })
  if (!made) {
    context.note('Stopped before the message was sent.\n')
    return null
  }
  const { run, bring } = made
  const at = addressOf(run)
  const begun: Begun = { createdAt: run.createdAt, marks: { created: performance.now() - since } }
  try {
    refuseOldHub(run.terms, url)
    const known: KnownRun = {
      ...{ url, token, at, agent, workspace, sandbox: kind },
      ...(worktree && { worktree }),
    }
    runs.save(known)
    await bring.send(at)
    const mark = (step: keyof StartMarks) => {
      begun.marks[step] = performance.now() - since
    }
    const link =
      workspace === '' ? null : await prepareWorkspace(known, { hub, state, isClone, flags, mark }, context)
    // Only now: an agent that cannot work there must not become the default.
    rememberAgent(state, origin, agent)
    // As a runner on this machine does when it begins.
    void import('@farhand/device/prune-runs/forget-old-runs').then(({ forgetOldRuns }) =>
      forgetOldRuns(runs, stateFolderPath, context.stop),
    )
    return { hub, at, known, link, begun }
  } catch (error) {
    // No message was sent: the run must not stay open.
    await closeRun(hub, at, { patienceMs }).catch(() => {})
    if (workspace !== '') await restoreLink(workspace, { state, at, before })
    if (context.stop.aborted && !(error instanceof Trouble)) {
      context.note(`Stopped before the message was sent. ${runInWords(at.run)} is closed.\n`)
      return null
    }
    throw hubTrouble(error, url, context) ?? error
  }
}

/** Refuses a hub that is too old for sandboxes: a newer one answers with the terms of the sandbox. */
function refuseOldHub(terms: unknown, url: string): void {
  if (terms !== undefined) return
  throw new Trouble(
    'failed',
    `The hub at ${url} has no sandboxes: it is older than this command.`,
    'Start a newer one there, or have the agent work in this folder: --here',
  )
}
