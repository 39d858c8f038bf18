import type { InitializeResponse } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { AgentCommand } from './agent.ts'

const text = z.string().optional().catch(undefined)

// Agents send more and less than the protocol defines: a sign-in method that cannot be read is skipped.
const Way = z.object({
  id: z.string().min(1),
  name: text,
  description: text,
  type: text,
  /** For a method with variables; some agents name just one. */
  vars: z
    .array(z.object({ name: z.string(), optional: z.boolean().optional().catch(undefined) }))
    .optional()
    .catch(undefined),
  varName: text,
  /** For a method that needs a terminal. */
  args: z.array(z.string()).optional().catch(undefined),
})
type Way = z.infer<typeof Way>

type Environment = Readonly<Record<string, string>>

const waysOf = ({ authMethods }: Pick<InitializeResponse, 'authMethods'>): Way[] =>
  (Array.isArray(authMethods) ? authMethods : []).flatMap((one) => Way.safeParse(one).data ?? [])

/** A sign-in method that works without the user, because its variables are set; null if there is none. */
export function unattendedWay(said: Pick<InitializeResponse, 'authMethods'>, env: Environment): Way | null {
  return waysOf(said).find((way) => isSet(way, env)) ?? null
}

function isSet(way: Way, env: Environment): boolean {
  // The protocol forbids this one here: it needs a user at a terminal.
  if (way.type === 'terminal') return false
  const wanted = variablesOf(way)
  if (way.type === 'env_var') return wanted.length > 0 && wanted.every((name) => env[name])
  // Others name their variables in free text. Without a word about keys, the method might open a browser.
  const isAboutKeys = /key|token|env/i.test(`${way.id} ${way.name ?? ''}`)
  return isAboutKeys && wanted.some((name) => env[name])
}

function variablesOf({ type, vars, varName, name = '', description = '' }: Way): string[] {
  if (type !== 'env_var') return `${name} ${description}`.match(/\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b/g) ?? []
  const needed = (vars ?? []).filter(({ optional }) => !optional).map((one) => one.name)
  return varName === undefined ? needed : [varName, ...needed]
}

/** What the user should do about an agent that requires sign-in: its own methods, and the catalogue's advice. */
export function signInFirst(
  { command, name = command, signIn }: Pick<AgentCommand, 'command' | 'name' | 'signIn'>,
  said: Pick<InitializeResponse, 'authMethods'>,
  { message, tried }: { message: string; tried: Way | null },
): string {
  const ways = waysOf(said).map((way) => inWords(way, command))
  const offers = ways.length > 0 ? ` It offers: ${ways.join('; ')}.` : ''
  const vain = tried ? ` It rejected the sign-in method "${tried.name ?? tried.id}".` : ''
  const todo = signIn ?? 'Sign in to it on its machine, or set the API key that it needs, and try again.'
  return `The agent "${name}" requires sign-in: ${asSentence(message)}${vain}${offers} ${todo}`
}

function inWords(way: Way, command: string): string {
  const { type, id, name = id, description, args = [] } = way
  if (type === 'env_var') return `${name} (set ${variablesOf(way).join(' and ')})`
  if (type === 'terminal') return `${name} (run ${[command, ...args].join(' ')})`
  return description ? `${name} (${description})` : name
}

const asSentence = (message: string) => (/[.!?]$/.test(message) ? message : `${message}.`)
