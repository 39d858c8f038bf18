import { type McpServerEntry, variablesWanted } from '@farhand/runner/catalogue/mcp-servers'
import { secretsIn } from '../secret-scan/secrets-in.ts'
import type { FoundServer } from './server-settings.ts'

/** Programs that can be expected in every sandbox. */
const anywhere = new Set(['npx', 'node', 'uvx', 'uv', 'python3', 'python', 'bunx', 'bun', 'deno', 'pipx'])

/** Variables that every sandbox sets itself. */
const neededInside = new Set(['PATH', 'HOME'])

/**
 * A server as it is sent: each value of its environment and headers is replaced by the name of a secret. Or why it
 * cannot be sent.
 */
export type ServerToBring = { entry: McpServerEntry; secrets: string[] } | { why: string }

/** Decides how an MCP server can run in a sandbox, without anything of this machine. */
export function serverToBring(found: FoundServer): ServerToBring {
  if (!/^[\w .@/-]{1,100}$/.test(found.name))
    return { why: 'its name contains characters that not every agent accepts' }
  return 'command' in found ? program(found) : address(found)
}

type FoundProgram = Extract<FoundServer, { command: string }>
type FoundAddress = Extract<FoundServer, { url: string }>

function program({ name, command, args, env }: FoundProgram): ServerToBring {
  if (!anywhere.has(command))
    return {
      why: `it runs the program ${command} of this machine; only ${[...anywhere].slice(0, 3).join(', ')} and the like work in a sandbox`,
    }
  const local = args.find((arg) => /^(?:[/~]|\.{1,2}\/|[a-z]:[\\/])/i.test(arg.replace(/^-[^=]*=/, '')))
  if (local !== undefined) return { why: `${local} is a path of this machine` }
  const [sign] = secretsIn('arguments', args.join('\n'))
  if (sign || hasKey(args) || args.some(isOpaque) || args.some((arg) => /\b(?:bearer|basic) \w/i.test(arg)))
    return { why: 'one of its arguments looks like a secret: give it as {NAME}, or in its env' }
  const taken = Object.keys(env).find((variable) => neededInside.has(variable))
  if (taken) return { why: `it sets ${taken}, which a sandbox sets itself` }
  const texts = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, withNames(value, key)]))
  return withSecrets({ type: 'stdio', name, command, args: args.map(inOurWay), env: texts })
}

function address({ name, type, url, headers }: FoundAddress): ServerToBring {
  if (!URL.canParse(url)) return { why: 'its address is not a URL' }
  const { hostname, username, password } = new URL(url)
  if (/^(localhost|127\.|\[::1\]|0\.0\.0\.0)/.test(hostname)) return { why: `it is on this machine: ${url}` }
  if (username || password) return { why: 'its address has a password in it: use a header instead' }
  const texts = Object.fromEntries(
    Object.entries(headers).map(([key, value]) => [key, withNames(value, `${name}_${key}`)]),
  )
  return withSecrets({ type, name, url: withoutKeys(url, nameOf(`${name}_URL_KEY`)), headers: texts })
}

/** Replaces keys in the URL by secret names: many services put the key there. */
function withoutKeys(url: string, called: string): string {
  let count = 0
  const named = () => {
    count += 1
    return `{${called}${count > 1 ? `_${count}` : ''}}`
  }
  const [, host = '', rest = ''] = /^(\w+:\/\/[^/?#]*)(.*)$/s.exec(url) ?? []
  const clean = inOurWay(rest).replace(/([?&])([^=&#]+)=([^&#]*)|[^/?&#]+/g, (part, before, key, value) => {
    if (key === undefined) return isOpaque(part) ? named() : part
    const isKept = isName(value) || !(isSecretName(key) || isOpaque(value))
    return isKept ? part : `${before}${key}=${named()}`
  })
  return host + clean
}

const isName = (text: string) => /^\{\w+\}$/.test(text)

/** A random-looking word, or a UUID. */
const isOpaque = (text: string) =>
  /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}/i.test(text) ||
  (text.match(/[A-Za-z0-9]{16,}/g) ?? []).some((run) => /\d/.test(run) && /[a-z]/i.test(run))

const isSecretName = (name: string) => /key|token|secret|passw|auth/i.test(name)

/** Whether arguments contain a key, such as `--token abc` or `--api-key=abc`; a name in braces is not a key. */
const hasKey = (args: readonly string[]) =>
  args.some((arg, at) => {
    const [, name, value] = /^(-[^=]*)=(.*)$/s.exec(arg) ?? [null, args[at - 1] ?? '', arg]
    return (
      name!.startsWith('-') && isSecretName(name!) && !value!.startsWith('-') && !/^\$?\{\w+\}$/.test(value!)
    )
  })

/**
 * `${NAME}` and `$NAME` in agents' settings become `{NAME}`; so does `${NAME:-default}`, as the default may be a
 * secret.
 */
const variable = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-[^}]*)?\}|\$([A-Za-z_]\w*)|\{env:([A-Za-z_]\w*)\}/g
const inOurWay = (text: string) =>
  text.replace(variable, (_, a?: string, b?: string, c?: string) => `{${a ?? b ?? c}}`)

/** A valid variable name from this text. */
const nameOf = (text: string) =>
  text
    .toUpperCase()
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')

/** Replaces the value by a secret name; a scheme such as Bearer is kept. */
function withNames(value: string, key: string): string {
  const ours = inOurWay(value)
  if (/^(?:(?:Bearer|Basic|Token) )?\{\w+\}$/i.test(ours)) return ours
  const [, scheme = ''] = /^((?:Bearer|Basic|Token) )/i.exec(value) ?? []
  return `${scheme}{${key
    .toUpperCase()
    .replace(/\W+/g, '_')
    .replace(/^(?=\d)/, '_')}}`
}

const withSecrets = (entry: McpServerEntry): ServerToBring => ({ entry, secrets: variablesWanted([entry]) })
