/** The object that a stored text holds; an empty one if it cannot be read. */
export function parsedObject(text: string | null): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
