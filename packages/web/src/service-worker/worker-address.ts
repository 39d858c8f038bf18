const path = '/sw.js'

type Policies = {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): {
    createScriptURL(address: string): object
  }
}

/**
 * The address of the service worker, as a page may say it that takes no script from a text (Trusted Types). This is the one policy
 * that the hub allows, and it knows no other address: nothing that somebody else wrote can pass by it.
 */
export function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies }
  // Browsers without it have nothing to ask.
  if (!trustedTypes) return path
  const policy = trustedTypes.createPolicy('farhand', { createScriptURL: () => path })
  return policy.createScriptURL(path) as unknown as string
}
