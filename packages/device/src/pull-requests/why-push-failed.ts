/** Explains from git's output why a push failed, and what to do. */
export function whyPushFailed(said: string, remote: string): { message: string; nextStep: string } {
  const text = said.trim()
  const lines = text
    .split('\n')
    .filter((line) => !/^(hint|To |Done|Everything|error: failed to push)/.test(line))
  const quoted = lines.slice(-4).join('\n  ')
  const is = (pattern: RegExp) => pattern.test(text)
  if (is(/Authentication failed|could not read Username|Permission denied|terminal prompts disabled|403/i))
    return {
      message: `${remote} rejects your credentials:\n  ${quoted}`,
      nextStep: `Make sure that \`git push\` works here, then try again.`,
    }
  if (is(/stale info|non-fast-forward|fetch first/i))
    return {
      message: `Another user or run has pushed to this branch in the meantime. Nothing was overwritten.`,
      nextStep: 'Try again, or name another branch with --branch.',
    }
  if (is(/pre-push|hook declined|remote rejected/i))
    return {
      message: `A hook or a rule refuses the push:\n  ${quoted}`,
      nextStep: 'Fix what it says, or name another branch with --branch.',
    }
  if (
    is(
      /does not appear to be a git repository|Could not read from remote|Could not resolve host|unable to access/i,
    )
  )
    return {
      message: `${remote} cannot be reached:\n  ${quoted}`,
      nextStep: '`git remote -v` shows its address; --remote names another one.',
    }
  return { message: `Git could not push to ${remote}:\n  ${quoted}`, nextStep: 'Nothing was pushed.' }
}
