import type { OfferedTool } from './conversation.ts'
import { fieldsOf, instanceOf, typeOf } from './instance-of.ts'

/** A call of a tool: an object for one with a schema, a text for one without. */
export type ToolCall = { name: string; input: Readonly<Record<string, unknown>> | string }

const writers = ['write', 'writefile', 'createfile', 'create', 'texteditor', 'strreplacebasededittool']
const patchers = ['applypatch']
const shells = ['bash', 'shell', 'runshellcommand', 'execcommand', 'shellcommand', 'runcommand', 'terminal']
const askers = ['askuserquestion', 'question', 'askuser', 'requestuserinput']
const pathFields = ['path', 'file_path', 'filePath', 'absolute_path', 'filename', 'file']
const contentFields = ['content', 'contents', 'file_text', 'text']
const commandFields = ['command', 'cmd']

/** How an agent with these tools writes a file: with a tool for it, with a patch, or else by its shell. */
export function writeCall(tools: readonly OfferedTool[], path: string, content: string): ToolCall | null {
  const writer = called(tools, writers) ?? tools.find(isWriter)
  if (writer?.input) {
    const verbs = fieldsOf(writer.input).command?.enum
    const command = Array.isArray(verbs) && verbs.includes('create') ? 'create' : 'write'
    const known = { ...each(pathFields, path), ...each(contentFields, content), command }
    return callOf(writer, known)
  }
  const patcher = called(tools, patchers)
  if (!patcher) return shellCall(tools, `printf '%s' ${quoted(content)} > ${quoted(path)}`)
  const added = content.replace(/\n$/, '').split('\n')
  const lines = [
    '*** Begin Patch',
    `*** Add File: ${path}`,
    ...added.map((line) => `+${line}`),
    '*** End Patch',
  ]
  const patch = `${lines.join('\n')}\n`
  return patcher.input === null
    ? { name: patcher.name, input: patch }
    : callOf(patcher, { input: patch, patch })
}

export function shellCall(tools: readonly OfferedTool[], command: string): ToolCall | null {
  const shell = called(tools, shells) ?? tools.find(isShell)
  if (!shell?.input) return null
  const fields = fieldsOf(shell.input)
  const isList = commandFields.some((name) => fields[name] && typeOf(fields[name]) === 'array')
  const line = isList ? ['bash', '-lc', command] : command
  // Where a model may say that a command needs permission, a person is asked instead of a sandbox.
  const asks = { sandbox_permissions: 'require_escalated', justification: 'May it run, as scripted?' }
  return callOf(shell, { ...each(commandFields, line), description: 'A command as scripted', ...asks })
}

/** Asks whether to go left or right, in the form that every agent with such a tool understands. */
export function askCall(tools: readonly OfferedTool[]): ToolCall | null {
  const asker = called(tools, askers)
  if (!asker) return null
  const options = [
    { label: 'left', description: 'Go to the left', preview: '' },
    { label: 'right', description: 'Go to the right', preview: '' },
  ]
  const question = 'Left or right?'
  const asked = {
    id: 'way',
    header: 'Way',
    question,
    type: 'choice',
    options,
    multiSelect: false,
    multiple: false,
  }
  return callOf(asker, { questions: [asked], question, options })
}

const callOf = ({ name, input }: OfferedTool, known: Record<string, unknown>): ToolCall => ({
  name,
  input: instanceOf(input ?? {}, known) as Record<string, unknown>,
})

/** The first of these names that is on offer, in any spelling and from any extension. */
const called = (tools: readonly OfferedTool[], names: readonly string[]) =>
  names.flatMap((name) => tools.find((tool) => plain(tool.name) === name) ?? [])[0]

const plain = (name: string) => (name.split(/__|\.|\//).at(-1) ?? name).replaceAll(/[_-]/g, '').toLowerCase()

const isWriter = (tool: OfferedTool) => has(tool, pathFields) && has(tool, contentFields)
const isShell = (tool: OfferedTool) => has(tool, commandFields) && !has(tool, pathFields)

const has = ({ input }: OfferedTool, names: readonly string[]) =>
  input !== null && names.some((name) => name in fieldsOf(input))

const each = (names: readonly string[], value: unknown) =>
  Object.fromEntries(names.map((name) => [name, value]))

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
