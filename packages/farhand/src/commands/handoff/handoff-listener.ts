import type { HandoffListener, HandoffStep, HandoffWarning } from '@farhand/device/handoff/handoff-parts'
import type { HandoffRun } from '@farhand/device/handoff/handoff-run'
import { runInWords } from '@farhand/device/wording/run-in-words'
import type { CommandContext } from '../../context/command-context.ts'
import type { HandoffReporter } from './handoff-reporter.ts'

/** Reports the steps of a handoff in words. */
export function handoffListener(
  handoff: HandoffRun,
  reporter: HandoffReporter,
  { called }: Pick<CommandContext, 'called'>,
): HandoffListener {
  return {
    step(step) {
      const words = stepInWords(step, handoff)
      if (words !== null) reporter.step(step.is, words)
    },
    warn: (warning) => reporter.warn(warningInWords(warning, handoff)),
    commits(branches) {
      const take = `\`${called.farhand} commits ${runInWords(handoff.at.run)}\` says how to have it on a branch of yours`
      reporter.commits(branches, `What it has committed there is ${branches.join(', ')} here; ${take}.`)
    },
  }
}

function stepInWords(step: HandoffStep, { at, agent, isOurs, workspace }: HandoffRun): string | null {
  switch (step.is) {
    case 'files':
      return `Its files are synced to ${workspace}; your changes there are kept.`
    case 'begin':
      return 'Its runner is started here.'
    case 'repository':
      return 'Its repository is sent to the hub.'
    case 'link':
      return `${workspace} is kept in sync with it.`
    case 'sandbox':
      return 'A sandbox is being created for it.'
    case 'busy':
      return 'Its runner is still busy, for example with a command. It is asked again.'
    case 'rest':
      return restInWords({ to: step.to, isOurs })
    case 'memory':
      return memoryInWords({ to: step.to, agent, isOurs })
    case 'back':
      return step.to === 'here'
        ? `That did not work: ${runInWords(at.run)} comes back here.`
        : `That did not work: ${runInWords(at.run)} goes back to where it was.`
  }
}

function warningInWords(warning: HandoffWarning, { workspace }: HandoffRun): string {
  switch (warning.is) {
    case 'repository':
      return warning.says
    case 'setup-not-sent':
      return `Your own setup is not sent: ${warning.why}`
    case 'not-linked':
      return `${workspace} is not kept in sync with it: ${warning.why}`
    case 'commits-wait':
      return `What it has committed stays at the hub for now: ${warning.why}`
    case 'no-capacity':
      return 'The hub has no capacity for its sandbox now. The run is queued and starts later.'
  }
}

/** Where a run moves, and its agent; `isOurs`: one of our own agents, whose memory moves along. */
type Going = { to: 'here' | 'cloud'; agent: string; isOurs: boolean }

/**
 * What the resting runner saves: there are no checkpoints on a device, and the memory of other agents is not ours to
 * move.
 */
export function restInWords({ to, isOurs }: Omit<Going, 'agent'>): string {
  if (to === 'here') return "Its runner rests: its last checkpoint and its agent's memory are saved."
  return isOurs ? "Its runner rests: its agent's memory is saved." : 'Its runner rests.'
}

/** How the agent learns in the new place what was said before; null if its memory moves along. */
export function memoryInWords({ to, agent, isOurs }: Going): string | null {
  if (isOurs) return null
  return to === 'here'
    ? `What ${agent} remembers by itself stays there; with your next message it is told here what was said and done.`
    : `${agent} goes on in the session that it had there, if it did; with your next message it is told what was said and done since.`
}
