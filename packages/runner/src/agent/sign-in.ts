import type { InitializeResponse } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { AgentCommand } from './agent.ts'

const text = z.string().optional().catch(undefined)

// Agents say more and less than the protocol knows: a way that cannot be read is one that nobody can go.
const Way = z.object({
  id: z.string().min(1),
  name: text,
  description: text,
  type: text,
  /** Of a way that takes variables; some name just one. */
  vars: z
    .array(z.object({ name: z.string(), optional: z.boolean().optional().catch(undefined) }))
    .optional()
    .catch(undefined),
  varName: text,
  /** Of a way that needs a terminal. */
  args: z.array(z.string()).optional().catch(undefined),
})
type Way = z.infer<typeof Way>

type Environment = Readonly<Record<string, string>>

const waysOf = ({ authMethods }: Pick<InitializeResponse, 'authMethods'>): Way[] =>
  (Array.isArray(authMethods) ? authMethods : []).flatMap((one) => Way.safeParse(one).data ?? [])

/** A way to sign in to an agent for which nobody has to be there, as all it takes is set; null if there is none. */
export function unattendedWay(said: Pick<InitializeResponse, 'authMethods'>, env: Environment): Way | null {
  return waysOf(said).find((way) => isSet(way, env)) ?? null
}

function isSet(way: Way, env: Environment): boolean {
  // The protocol forbids to ask for this one: it is for a person at a terminal.
  if (way.type === 'terminal') return false
  const wanted = variablesOf(way)
  if (way.type === 'env_var') return wanted.length > 0 && wanted.every((name) => env[name])
  // Others say in words what they read. Without a word of a key it may be a browser that they would open.
  const isAboutKeys = /key|token|env/i.test(`${way.id} ${way.name ?? ''}`)
  return isAboutKeys && wanted.some((name) => env[name])
}

function variablesOf({ type, vars, varName, name = '', description = '' }: Way): string[] {
  if (type !== 'env_var') return `${name} ${description}`.match(/\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b/g) ?? []
  const needed = (vars ?? []).filter(({ optional }) => !optional).map((one) => one.name)
  return varName === undefined ? needed : [varName, ...needed]
}

/** What to do about an agent that wants somebody to sign in: what it offers, and what whoever started it knows. */
export function signInFirst(
  { command, name = command, signIn }: Pick<AgentCommand, 'command' | 'name' | 'signIn'>,
  said: Pick<InitializeResponse, 'authMethods'>,
  { message, tried }: { message: string; tried: Way | null },
): string {
  const ways = waysOf(said).map((way) => inWords(way, command))
  const offers = ways.length > 0 ? ` It offers: ${ways.join('; ')}.` : ''
  const vain = tried ? ` It was told to use "${tried.name ?? tried.id}", and did not take it.` : ''
  const todo = signIn ?? 'Sign in to it on its machine, or give it the key it wants, and try again.'
  return `The agent "${name}" wants somebody to sign in first: ${asSentence(message)}${vain}${offers} ${todo}`
}

function inWords(way: Way, command: string): string {
  const { type, id, name = id, description, args = [] } = way
  if (type === 'env_var') return `${name} (set ${variablesOf(way).join(' and ')})`
  if (type === 'terminal') return `${name} (run ${[command, ...args].join(' ')})`
  return description ? `${name} (${description})` : name
}

const asSentence = (message: string) => (/[.!?]$/.test(message) ? message : `${message}.`)
