import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { knownAgents } from '@farhand/runner/catalogue/catalogue'
import { type AgentUnderTest, startWithSettings } from './agents-under-test.ts'
import { installedAt } from './installed-at.ts'

/** A user's home, Farhand's state folder in it, and the model that the user's agents use. */
export type UserPlace = { home: string; state: string; llmUrl: string }

/**
 * Sets up a user who has just installed an agent: its program is in `bin`, which belongs on their PATH, `env` is what they
 * set, and settings that only a test needs are in their own catalogue of agents.
 */
export function userUnderTest(agent: AgentUnderTest, { home, state, llmUrl }: UserPlace) {
  const installed = installedAt(agent)
  const { command: program, args, env } = startWithSettings(agent, { installed, home, llmUrl })
  const bin = path.join(home, 'bin')
  mkdirSync(bin, { recursive: true })
  mkdirSync(state, { recursive: true, mode: 0o700 })
  const known = knownAgents.find(({ id }) => id === agent.id)!
  const withEntry = (entry: { id: string; env: Record<string, string> }) => {
    writeFileSync(path.join(state, 'agents.json'), JSON.stringify([entry]))
    return { env: entry.env, bin }
  }
  const [script] = args
  // Farhand's own agent comes with the command.
  if (program === '') return withEntry({ id: agent.id, env })
  if (program === process.execPath) symlinkSync(script!, path.join(bin, known.command))
  else if (script === undefined) symlinkSync(program, path.join(bin, known.command))
  else
    writeFileSync(path.join(bin, known.command), `#!/bin/sh\nexec ${program} ${script} "$@"\n`, {
      mode: 0o755,
    })
  const { PATH: _, ...own } = env
  const readable = [path.join(installed, 'node_modules')]
  const entry = { id: agent.id, env: own, readable, files: agent.settings?.(llmUrl) ?? {} }
  return withEntry(entry)
}
