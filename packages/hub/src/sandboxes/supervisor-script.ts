/** Prints the identity of its shell: `/proc/<pid>/stat`, or without `/proc` the pid and the start time. */
const whoAmI =
  '{ read -r line </proc/self/stat && echo "$line" || echo "$$ $(LC_ALL=C ps -o lstart= -p $$)"; } 2>/dev/null'

/**
 * The parent of a program in a sandbox, for `sh -c` with a folder and a command. The command gets its standard input and its file
 * descriptors from 3 on. It writes into the folder its own identity, how the command ended, and the last output. It ends with the
 * command, even if processes that were left running still print, but not before the process that keeps the last output has written
 * its identity: the hub would otherwise end that one too early. All of them end if the folder is deleted, as no hub could find them
 * then.
 */
export const supervisorScript = `
set -e
folder=$1
shift
${whoAmI} >"$folder/supervisor"
(
  while sleep 30; do
    [ -e "$folder" ] || [ -e "$folder.gone" ] || kill -s KILL -- -$$
  done
) >/dev/null 2>&1 3>&- &
watcher=$!
{
  set +e
  "$@" 2>&1
  echo $? >"$folder/code"
  looks=0
  until [ -s "$folder/words-keeper" ] || [ $looks -ge 600 ]; do
    looks=$((looks + 1))
    sleep 0.05
  done
  kill -9 $watcher $$
} | exec sh -c '
  ${whoAmI} >"$1/words-keeper"
  exec tail -c 16384 >"$1/last-words" 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
' farhand-last-words "$folder"
`

/**
 * Executes a program, for \`sh -c\` with its working folder, the program and its arguments. Right before that it writes a word to file
 * descriptor 3.
 */
export const beginScript = `
cd "$1" || exit 126
shift
command -v "$1" >/dev/null || { echo "$1: there is no such program" >&2; exit 127; }
echo begun >&3
exec "$@" 3>&-
`
