import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { knownAgents } from '@farhand/runner/agent/catalogue'
import type { AgentUnderTest } from './agents-under-test.ts'
import { installedAt } from './installed-at.ts'

/** Somebody's home, where Farhand keeps its state there, and the model that they use. */
export type UserPlace = { home: string; state: string; llmUrl: string }

/**
 * Has somebody use an agent: its program lies in `bin`, which belongs on their PATH, `env` is what they set, and what nobody
 * would set is in the catalogue that they have beside ours.
 */
export function userUnderTest(agent: AgentUnderTest, { home, state, llmUrl }: UserPlace) {
  const { command: program, args, env } = agent.start({ installed: installedAt(agent), home, llmUrl })
  const bin = path.join(home, 'bin')
  mkdirSync(bin)
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const known = knownAgents.find(({ id }) => id === agent.id)!
  if (program) symlinkSync(program === process.execPath ? args[0]! : program, path.join(bin, known.command))
  const entry = { id: agent.id, env: { ...known.env, ...env } }
  writeFileSync(path.join(state, 'agents.json'), JSON.stringify([entry]))
  return { env, bin }
}
