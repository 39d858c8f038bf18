/** A shell example of a document, and the answer printed below it, if there is one. */
export type Example = { script: string; answer: string | null }

/** The ```sh blocks of a document; a ```text block that follows at once is what the example answers. */
export function readExamples(markdown: string): Example[] {
  const blocks = markdown.matchAll(/^```sh\n([\s\S]*?)^```\n(?:```text\n([\s\S]*?)^```$)?/gm)
  return [...blocks].map(([, script = '', answer]) => ({ script, answer: answer ?? null }))
}

/** The ```ts blocks of a document, by the name the text before gives them: "Save this as `hello.ts`". */
export function readFiles(markdown: string): Record<string, string> {
  const blocks = markdown.matchAll(/\bas `([\w-]+\.ts)`[^`]*^```ts\n([\s\S]*?)^```$/gm)
  return Object.fromEntries([...blocks].map(([, name = '', text = '']) => [name, text]))
}

/** Whether an answer is as printed, where `…` stands for anything within a line. */
export function matches(printed: string, actual: string): boolean {
  const lines = printed.trimEnd().split('\n')
  const pattern = lines.map((line) => line.split('…').map(literally).join('.*')).join('\n')
  return new RegExp(`^${pattern}\\s*$`).test(actual)
}

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
