// All other variables go along: the agent's settings are among them, and the runner passes on only those that its agent needs.
const ownSettings = /^FARHAND_(URL|TOKEN|STATE|RUNNER_TOKEN|RUNNER_GENERATION)$/

/** The environment of a background process. The token is in it, not in an argument: every user of the machine can read arguments. */
export const backgroundEnvironment = (
  token: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !ownSettings.test(name))),
  // The user's token, not a runner's: a runner's token fences the other runners before this one knows whether it may begin.
  ...(token !== undefined && { FARHAND_TOKEN: token }),
})
