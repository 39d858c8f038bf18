import { type Field, type FieldChoice, onlyQuestion } from '@farhand/protocol/forms/form-fields'
import type { AgentQuestion } from '@farhand/protocol/methods/questions'
import { beginning, bothEnds, plainLine, plainText, shortened } from '@farhand/protocol/text/plain-text'
import type { QuestionId } from '@farhand/protocol/wire/ids'
import { isWithin } from '@farhand/protocol/wire/json-within'
import { choicesOf } from './choices-of.ts'
import { outcomeOf } from './outcome-of.ts'
import { type AskedTool, isReject, type ReadAsk, readAsk } from './read-ask.ts'

/** A question for the log, and what a policy needs to know besides. */
export type Question = {
  params: AgentQuestion
  /** The agent asks to leave plan mode and begin: no policy for tools covers that. */
  isPlan: boolean
  /** The tool that needs permission; `paths` are all that the agent names, `runs` is true for a shell command line. */
  tool: { kind: string | null; paths: readonly string[]; runs: boolean } | null
}

// The log's limit is 32,768; the rest is for a note about an answer that did not fit.
const mostCharacters = 28_000
const mostOfForm = 32_768

/** The question for users that an agent's request becomes. The log accepts it for any request. */
export function questionOf(ask: { method: string; params: unknown }, questionId: QuestionId): Question {
  const asked = readAsk(ask)
  const options = choicesOf(asked).map(({ shown }) => shown)
  const isPlan = 'tool' in asked && asksForPlan(asked.tool)
  const mayAllow = asked.asks !== 'permission' && !isPlan
  const wished = defaultOf(asked)
  const fallback = mayAllow || isRejection(ask, wished) ? wished : undefined
  const hidden = options.length > 100 ? `\n(${options.length - 100} more options are not shown.)` : ''
  const params: AgentQuestion = {
    questionId,
    question: shortened(textOf(asked, isPlan), mostCharacters - hidden.length) + hidden,
    kind: asked.asks === 'permission' ? 'permission' : 'question',
    ...(options.length > 0 && { options: options.slice(0, 100) }),
    ...(asked.timeoutSeconds !== undefined && { timeout: asked.timeoutSeconds }),
    ...(fallback !== undefined && isWithin(fallback, 16_384) && { default: fallback }),
    ...(asked.toolCallId && asked.toolCallId.length <= 1000 && { toolCallId: asked.toolCallId }),
    ...(isPlan && { isPlan }),
    ...(asked.asks === 'url' && { url: shortened(asked.url, 4096) }),
    // For clients that can show a form; the text of the question describes it for the others.
    ...(asked.asks === 'form' && canBeKept(asked.schema) && { form: asked.schema }),
  }
  return { params, isPlan, tool: 'tool' in asked ? policedTool(asked.tool) : null }
}

const policedTool = (tool: AskedTool) => ({
  kind: tool.kind ?? null,
  paths: pathsOf(tool),
  // Some edit tools call their action, in one word, `command`.
  runs: /\s/.test(commandOf(tool.rawInput)?.trim() ?? '') || Array.isArray(tool.rawInput.command),
})

/** Whether this rejects: only that may be the default of a permission (W36). */
function isRejection(ask: { method: string; params: unknown }, wished: unknown): boolean {
  if (wished === undefined) return false
  const outcome = outcomeOf(ask, wished)
  const asked = readAsk(ask)
  const chosen = 'optionId' in outcome ? outcome.optionId : null
  const index = choicesOf(asked).findIndex(({ shown }) => shown.optionId === chosen)
  return 'tool' in asked && index >= 0 && isReject(asked.choices[index]!)
}

// The hub refuses deeply nested events, and with it everything that the runner writes next.
const canBeKept = (schema: unknown): schema is Record<string, unknown> =>
  typeof schema === 'object' &&
  schema !== null &&
  !Array.isArray(schema) &&
  isWithin(schema, mostOfForm) &&
  isShallow(schema, 20)

const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((one) => isShallow(one, levels - 1)))

function defaultOf(asked: ReadAsk): unknown {
  if (asked.default !== undefined || asked.asks !== 'form') return asked.default
  const preset = asked.fields.filter((field) => field.default !== undefined)
  const isEnough = asked.fields.every(({ isRequired, default: one }) => !isRequired || one !== undefined)
  if (preset.length === 0 || !isEnough) return undefined
  return Object.fromEntries(preset.map((field) => [field.name, field.default]))
}

// Agents phrase it in many ways. Mistaking an edit for a plan costs the user one look; the other way round, work
// begins without the user's consent.
const planWords =
  /exit.?plan|plan.?mode|ready to (code|implement|build|start)|\b(approve|accept|review|confirm|implement|execute|proceed with|start)\b.{0,30}\bplan\b/i

function asksForPlan({ kind, title = '', name = '', rawInput }: AskedTool): boolean {
  if (kind === 'switch_mode' || typeof rawInput.plan === 'string') return true
  return planWords.test(title) || planWords.test(name)
}

function textOf(asked: ReadAsk, isPlan: boolean): string {
  switch (asked.asks) {
    case 'permission':
    case 'choice':
      return toolText(asked.tool, isPlan)
    case 'form':
      return formText(asked.message, asked.fields)
    case 'url':
      return `${asked.message || 'The agent asks you to open a page.'}\nOpen: ${shortened(asked.url, 4096)}`
  }
}

const verbs: ReadonlyMap<string, string> = new Map([
  ['read', 'Read'],
  ['edit', 'Edit'],
  ['delete', 'Delete'],
  ['move', 'Move'],
  ['search', 'Search'],
  ['execute', 'Run a command'],
  ['fetch', 'Fetch from the network'],
  ['switch_mode', 'Change how it works'],
])

const ofFiles: ReadonlySet<string> = new Set(['read', 'edit', 'delete', 'move'])

function toolText(tool: AskedTool, isPlan: boolean): string {
  const named = plainLine(tool.title ?? '')
  const verb = verbs.get(tool.kind ?? '')
  // Some agents name only the file, and not what they would do with it.
  const only = ofFiles.has(tool.kind ?? '')
    ? pathsOf(tool).find((path) => plainLine(path) === named)
    : undefined
  const title =
    only === undefined
      ? named || verb || plainLine(tool.name ?? '')
      : `${verb} ${named}${changeOf(tool, only)}`
  const lines = [beginning(title || 'The agent asks for permission', 2000)]
  const command = plainText(commandOf(tool.rawInput) ?? '').trim()
  if (command && !lines[0]!.includes(command)) lines.push(`Command: ${bothEnds(command, 12_000)}`)
  const cwd = textIn(tool.rawInput, 'cwd', 'workdir')
  if (command && cwd) lines.push(`In: ${beginning(plainLine(cwd), 1000)}`)
  const url = textIn(tool.rawInput, 'url')
  if (url && !title.includes(url)) lines.push(`Address: ${beginning(plainLine(url), 1000)}`)
  for (const path of pathsOf(tool).slice(0, 20)) {
    const change = path === only ? '' : changeOf(tool, path)
    if (change || !title.includes(plainLine(path)))
      lines.push(`File: ${beginning(plainLine(path), 400)}${change}`)
  }
  const more = pathsOf(tool).length - 20
  if (more > 0) lines.push(`and ${more} more files`)
  const plan = isPlan ? textIn(tool.rawInput, 'plan') : undefined
  const said = plan === undefined ? contentText(tool) || messageOf(tool) : plainText(plan).trim()
  if (said && said !== title) lines.push('', bothEnds(said, 12_000))
  return lines.join('\n')
}

/** The message of an agent that asks with a dialog of its own. */
const messageOf = ({ rawInput }: AskedTool) => plainText(textIn(rawInput, 'message') ?? '').trim()

const contentText = ({ content }: AskedTool) =>
  content
    .flatMap((one) => (one.type === 'content' ? [plainText(one.content.text).trim()] : []))
    .join('\n')
    .trim()

function changeOf({ content }: AskedTool, path: string): string {
  const diffs = content.filter((one) => one.type === 'diff').filter((one) => one.path === path)
  if (diffs.length === 0) return ''
  const count = (texts: (string | undefined)[]) =>
    texts.reduce((sum, text) => sum + (text ? text.replace(/\n$/, '').split('\n').length : 0), 0)
  const [before, after] = [count(diffs.map((one) => one.oldText)), count(diffs.map((one) => one.newText))]
  if (before === 0) return ` (${after} new ${after === 1 ? 'line' : 'lines'})`
  return before === 1 ? ` (1 line becomes ${after})` : ` (${before} lines become ${after})`
}

const pathKeys = [
  ...['path', 'file_path', 'filePath', 'filepath', 'abs_path', 'fileName', 'notebook_path', 'paths', 'files'],
  ...['destination', 'dest', 'new_path', 'newPath', 'old_path', 'oldPath', 'target_path', 'source_path'],
]
// In an edit, these fields may hold text.
const moveKeys = ['from', 'to', 'source', 'target']

/** All paths that a tool call names in any field, each once. */
function pathsOf({ kind, locations, content, rawInput }: AskedTool): string[] {
  const keys = kind === 'move' ? [...pathKeys, ...moveKeys] : pathKeys
  const named = keys.flatMap((key) => rawInput[key]).filter((path) => typeof path === 'string')
  const diffs = content.flatMap((one) => (one.type === 'diff' ? [one.path] : []))
  return [...new Set([...locations.map(({ path }) => path), ...diffs, ...named])]
}

function commandOf(input: AskedTool['rawInput']): string | undefined {
  const { command } = input
  if (Array.isArray(command)) return command.map(String).join(' ')
  return textIn(input, 'command', 'cmd', 'script')
}

function textIn(input: AskedTool['rawInput'], ...keys: string[]): string | undefined {
  for (const key of keys) if (typeof input[key] === 'string' && input[key] !== '') return input[key]
  return undefined
}

function formText(message: string, fields: readonly Field[]): string {
  const only = onlyQuestion(fields)
  const lines = [beginning(message || 'The agent asks:', 16_000)]
  if (only) {
    // The message is the question, and its choices are the options.
    if (only.description && only.description !== message) lines.push(shortened(only.description, 4000))
    lines.push(...choiceLines(only, ({ description }) => only.kind === 'many' || description !== null))
    if (fields.length > 1) lines.push('Or in words of your own.')
    return lines.join('\n')
  }
  for (const field of fields.slice(0, 50)) {
    const { name, title, description, isRequired } = field
    const called = title === name ? name : `${title} (${name})`
    lines.push(shortened(`- ${called}${isRequired ? '' : ', optional'}: ${description ?? ''}`.trim(), 1000))
    lines.push(...choiceLines(field, () => true))
  }
  return lines.join('\n')
}

function choiceLines(field: Field, isShown: (choice: FieldChoice) => boolean): string[] {
  if (field.kind !== 'choice' && field.kind !== 'many') return []
  const told = field.choices
    .slice(0, 50)
    .filter(isShown)
    .map(({ title, description }) => shortened(`  - ${title}${description ? `: ${description}` : ''}`, 600))
  return field.kind === 'many' ? ['  Any number of these:', ...told] : told
}
