/** An environment variable that the agent reads, and its meaning. */
type Variable = readonly [name: string, says: string]

/** One of these is required. The first that is set counts, unless FARHAND_MODEL selects another. */
const ways: readonly Variable[] = [
  ['FARHAND_MODEL_URL', 'a server of your own that speaks like OpenAI: Ollama, llama.cpp, vLLM, LM Studio'],
  ['ANTHROPIC_API_KEY', 'a key of Anthropic'],
  ['OPENAI_API_KEY', 'a key of OpenAI'],
  ['GEMINI_API_KEY', 'a key of Google; GOOGLE_API_KEY is the same'],
]

const rest: readonly Variable[] = [
  ['FARHAND_MODEL', 'which model: its name, or provider/name with anthropic, openai, google or local'],
  ['FARHAND_MODEL_KEY', 'the key of your own server, if it wants one'],
  ['FARHAND_MODEL_WINDOW', 'how many tokens the model holds, where that is not known'],
  ['FARHAND_AGENT_STEPS', 'how often the model is asked in one turn at most; 200'],
  ['ANTHROPIC_BASE_URL', 'where Anthropic is, if elsewhere'],
  ['OPENAI_BASE_URL', 'where OpenAI is, if elsewhere'],
  ['GOOGLE_GEMINI_BASE_URL', 'where Google is, if elsewhere'],
  ['HTTPS_PROXY', 'the proxy on the way there; HTTP_PROXY for plain HTTP'],
  ['NO_PROXY', 'what is reached without it; this machine always is'],
  ['NODE_EXTRA_CA_CERTS', 'a file with certificates that are trusted, too'],
]

const width = Math.max(...[...ways, ...rest].map(([name]) => name.length))
const list = (all: readonly Variable[]) =>
  all.map(([name, says]) => `  ${name.padEnd(width)}  ${says}`).join('\n')

/** The help text about variables; `call` is the command that starts Farhand. */
export const variablesInWords = (call: string) => `
It needs a model. One of these is enough; the first that is set counts:
${list(ways)}

And if you like:
${list(rest)}

With a key, or with a model on this machine:
  ANTHROPIC_API_KEY=... ${call} run --agent builtin "What is in this folder?"
  FARHAND_MODEL_URL=http://127.0.0.1:11434/v1 FARHAND_MODEL=qwen3 ${call} run --agent builtin "What is in this folder?"`
