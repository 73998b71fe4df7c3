import type { Command } from 'commander';
import { EXIT, UsageError } from '../exit-codes';
import type { System } from '../system';

/** A command by the words that name it, with its commands and options. */
interface Node {
  path: string;
  words: string[];
  /** Options that take one of a few values. */
  values: [option: string, values: string][];
}

/**
 * Only ids of these characters are offered: completions are parts of a command line, and a service may send anything.
 */
const MODELS = `mcs models 2> /dev/null | tail -n +2 | cut -f 1 | LC_ALL=C grep -xE '[A-Za-z0-9._/:@+-]+'`;

/** Options that take a model. */
const MODEL_OPTIONS = ['--models', '--model', '--judge', '--baseline'];

const SCRIPTS: Readonly<Record<string, (nodes: readonly Node[]) => string>> = { bash, zsh, fish };

/** mcs completion: prints the script by which a shell completes commands, options and models. */
export function completionCommand(system: System, program: Command, shell: string): number {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) throw new UsageError('Completion is there for bash, zsh and fish.');
  system.out.write(script(nodesOf(program, '')));
  return EXIT.done;
}

function nodesOf(command: Command, path: string): Node[] {
  const options = command.options.flatMap(({ long, argChoices, flags }) =>
    long === null || long === undefined
      ? []
      : [{ long, values: argChoices ?? /<([\w-]+(?:\|[\w-]+)+)>/.exec(flags)?.[1]?.split('|') }],
  );
  const node: Node = {
    path,
    words: [...command.commands.map((each) => each.name()), ...options.map(({ long }) => long), '--help'],
    values: options.flatMap(({ long, values }) =>
      values === undefined ? [] : [[long, values.join(' ')] as [string, string]],
    ),
  };
  return [node, ...command.commands.flatMap((each) => nodesOf(each, `${path} ${each.name()}`.trim()))];
}

/** The parts that bash and zsh have in common. */
function functions(nodes: readonly Node[]): string {
  const values = nodes.flatMap((node) =>
    node.values.map(([option, words]) => `    '${node.path} ${option}') echo '${words}' ;;\n`),
  );
  return `_mcs_models() { ${MODELS}; }
_mcs_at() {
  local at= word
  for word in "$@"; do
    case "$at\${at:+ }$word" in
      ${nodes
        .filter(({ path }) => path !== '')
        .map(({ path }) => `'${path}'`)
        .join(' | ')}) at="$at\${at:+ }$word" ;;
    esac
  done
  printf '%s' "$at"
}
_mcs_words() {
  case "$1 $2" in
    *' -m'${MODEL_OPTIONS.map((option) => ` | *' ${option}'`).join('')}) _mcs_models; return ;;
${values.join('').replace(/ ;;/g, '; return ;;')}  esac
  case "$1" in
${nodes.map(({ path, words }) => `    '${path}') echo '${words.join(' ')}' ;;\n`).join('')}  esac
}
`;
}

function bash(nodes: readonly Node[]): string {
  return `# Completion of mcs for bash.
${functions(nodes)}_mcs() {
  local line=\${COMP_LINE:0:COMP_POINT} cur prefix= word head all
  cur=\${line##*[[:space:]]}
  read -ra all <<< "\${line%"$cur"}"
  [[ $cur == *,* ]] && prefix=\${cur%,*},
  COMPREPLY=()
  while IFS= read -r word; do
    [[ -n $word && $prefix$word == "$cur"* ]] && COMPREPLY+=("$prefix$word")
  done < <(_mcs_words "$(_mcs_at "\${all[@]:1}")" "\${all[\${#all[@]}-1]}" | tr ' ' '\\n')
  # Bash replaces only what follows the last of its word breaks.
  head=\${cur%"\${cur##*[:@=]}"}
  COMPREPLY=("\${COMPREPLY[@]#"$head"}")
}
complete -o default -F _mcs mcs
`;
}

function zsh(nodes: readonly Node[]): string {
  return `#compdef mcs
${functions(nodes)}_mcs() {
  local previous=\${words[CURRENT-1]} found
  found=$(_mcs_words "$(_mcs_at "\${(@)words[2,CURRENT-1]}")" "$previous")
  [[ $previous == (-m|--models) ]] && compset -P '*,'
  compadd -- \${=found} || _files
}
[[ \${funcstack[1]} == _mcs ]] && _mcs "$@" || compdef _mcs mcs
`;
}

function fish(nodes: readonly Node[]): string {
  const isAt = (path: string) => `-n 'test "$(__mcs_at)" = "${path}"'`;
  return `# Completion of mcs for fish.
function __mcs_models; ${MODELS}; end
function __mcs_at
  set -l at
  for word in (commandline -opc)[2..]
    contains -- "$at $word" ${nodes
      .filter(({ path }) => path !== '')
      .map(({ path }) => `' ${path}'`)
      .join(' ')}; and set at "$at $word"
  end
  string trim -- "$at"
end
${nodes.flatMap(({ path, words, values }) => words.map((word) => `complete -c mcs ${isAt(path)} ${word.startsWith('--') ? `-l ${word.slice(2)}${valueOf(values, word)}` : `-fa ${word}`}\n`)).join('')}`;
}

function valueOf(values: Node['values'], option: string): string {
  if (MODEL_OPTIONS.includes(option))
    return `${option === '--models' ? ' -s m' : ''} -xa '(__fish_complete_list , __mcs_models)'`;
  const words = values.find(([name]) => name === option)?.[1];
  return words === undefined ? '' : ` -xa '${words}'`;
}
