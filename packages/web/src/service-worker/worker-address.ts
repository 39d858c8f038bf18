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
 * The URL of the service worker, as a Trusted Types policy allows it. The hub allows only this policy, which
 * accepts only this URL, so that no injected script URL can pass.
 */
export function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies }
  // // A browser without Trusted Types takes a plain string.
  if (!trustedTypes) return path
  const policy = trustedTypes.createPolicy('farhand', { createScriptURL: () => path })
  return policy.createScriptURL(path) as unknown as string
}
