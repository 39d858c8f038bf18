/** A tool that an agent offers to its model. `input` is the JSON schema of it, or null if it takes free text. */
export type OfferedTool = { name: string; input: JsonSchema | null }

export type JsonSchema = { readonly [key: string]: unknown }

/** What matters of a request to a model, whatever dialect it came in. */
export type Conversation = {
  model: string
  /** The last paragraph a person said, without what the agent wrapped around it. */
  userText: string
  /** Everything that anybody said to it, whatever was wrapped around it. */
  heard: string
  /** What tools gave back since then, in order. */
  results: readonly string[]
  tools: readonly OfferedTool[]
  /** The form in which an answer is wanted, if the agent asks for data instead of words. */
  form: JsonSchema | null
}

/**
 * One thing that was said before; what the model itself said does not matter to a script. A note is what an agent was
 * given beside a person's words: it is heard, and asks for nothing.
 */
export type Said = { by: 'user' | 'tool' | 'note'; text: string }

/** Reads a conversation out of what was said so far: what follows the last words of a person is this turn. */
export function conversationOf(
  said: readonly Said[],
  rest: Pick<Conversation, 'model' | 'tools' | 'form'>,
): Conversation {
  let userText = ''
  let results: string[] = []
  for (const { by, text } of said) {
    if (by === 'tool') results.push(text)
    else if (by === 'user') {
      const words = wordsOfPerson(text)
      // Agents put notes of their own beside a person's words and between results of tools.
      if (words === '') continue
      userText = words
      results = []
    }
  }
  return { ...rest, userText, results, heard: said.map(({ text }) => text).join('\n') }
}

/** What is said into its turn Claude tells its model alone, or between two paragraphs of its own. */
const saidMeanwhile =
  /^[^\n]* while you were working:\n([\s\S]*?)\n\nThis is how Claude Code surfaces [\s\S]*$/

/**
 * Only the last paragraph: some agents glue a message that failed to the one after it, and runners put notes before a
 * message.
 */
const wordsOfPerson = (text: string) =>
  text
    .replace(saidMeanwhile, '$1')
    .replaceAll(/<([a-zA-Z][\w-]*)[^>]*>[\s\S]*?<\/\1>/g, '')
    .trim()
    .split(/\n\s*\n/)
    .at(-1) ?? ''
