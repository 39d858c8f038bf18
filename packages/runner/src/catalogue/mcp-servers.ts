import type { McpServer } from '@agentclientprotocol/sdk'
import { z } from 'zod'

const inBraces = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g
const isSecret = (name: string) => /key|token|secret|password|authorization/i.test(name)

/** Texts by name, in which `{NAME}` stands for a variable: readers of this file learn no secret. */
const Texts = z
  .record(z.string().min(1), z.string())
  .default({})
  .superRefine((texts, { addIssue }) => {
    for (const [name, text] of Object.entries(texts))
      if (isSecret(name) && text.match(inBraces) === null)
        addIssue({
          code: 'custom',
          path: [name],
          message: 'expected no secret, but the name of the variable that holds it, such as {MY_TOKEN}',
        })
  })

const name = z.string().min(1).max(100)
const url = z.url({ protocol: /^https?$/, error: 'expected an address that begins with http:// or https://' })
const Server = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('stdio'),
    name,
    command: z.string().min(1),
    args: z.array(z.string()).default([]),
    env: Texts,
  }),
  z.strictObject({ type: z.literal('http'), name, url, headers: Texts }),
  z.strictObject({ type: z.literal('sse'), name, url, headers: Texts }),
])

/** An MCP server as a user writes it down; a program unless `type` says otherwise. */
export const McpServerEntry = z.preprocess(
  (said) =>
    typeof said === 'object' && said !== null && !('type' in said) ? { ...said, type: 'stdio' } : said,
  Server,
)
export type McpServerEntry = z.infer<typeof McpServerEntry>

const textsOf = (entry: McpServerEntry) => (entry.type === 'stdio' ? entry.env : entry.headers)
const wordsOf = (entry: McpServerEntry) => (entry.type === 'stdio' ? entry.args : [entry.url])

/** The variables that these servers need, each once. */
export function variablesWanted(entries: readonly McpServerEntry[]): string[] {
  const texts = entries.flatMap((entry) => [...wordsOf(entry), ...Object.values(textsOf(entry))])
  return [...new Set(texts.flatMap((text) => [...text.matchAll(inBraces)].map((match) => match[1]!)))]
}

/** These servers as an agent gets them, with the values of the variables. */
export function mcpServersOf(
  entries: readonly McpServerEntry[],
  variables: Readonly<Record<string, string | undefined>>,
): McpServer[] {
  const fill = (text: string) => text.replace(inBraces, (_, variable: string) => variables[variable] ?? '')
  return entries.map((entry) => {
    const filled = Object.entries(textsOf(entry)).map(([name, text]) => ({ name, value: fill(text) }))
    const { name } = entry
    if (entry.type !== 'stdio') return { type: entry.type, name, url: fill(entry.url), headers: filled }
    return { name, command: entry.command, args: entry.args.map(fill), env: filled }
  })
}
