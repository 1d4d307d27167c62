import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { REJECTIONS } from '../../../src/kernel/rejection.js';

const SOURCES = fileURLToPath(new URL('../../../src/', import.meta.url));

/** A module as far as it tells which of its functions names which others. */
interface Module {
  readonly declared: ReadonlyMap<string, ts.Node>;
  /** Local name → where it comes from. */
  readonly imported: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
}

/**
 * The refusals that a decision can come to, `<function> <code>` each: of the function itself, and of
 * whatever it names, and so on. Read off the sources, so that a new one cannot be forgotten.
 *
 * @param file below `src`
 */
export function reachableRefusals(file: string, name: string): readonly string[] {
  const modules = new Map<string, Module>();
  const seen = new Set<string>();
  const refusals = new Set<string>();
  const visit = (path: string, declared: string): void => {
    const id = `${path} ${declared}`;
    if (seen.has(id) || path.endsWith('/kernel/rejection.ts')) return;
    seen.add(id);
    const module = modules.get(path) ?? readModule(path);
    modules.set(path, module);
    const node = module.declared.get(declared);
    if (node === undefined) return;
    const look = (child: ts.Node): void => {
      if (ts.isTypeNode(child)) return;
      if (ts.isStringLiteral(child) && isRefusal(child)) refusals.add(`${declared} ${child.text}`);
      if (ts.isIdentifier(child)) {
        const from = module.imported.get(child.text);
        if (from !== undefined) visit(from.file, from.name);
        else if (child.text !== declared) visit(path, child.text);
      }
      ts.forEachChild(child, look);
    };
    look(node);
  };
  visit(join(SOURCES, file), name);
  if (refusals.size === 0) throw new Error(`${name} of ${file} refuses nothing`);
  return [...refusals].sort();
}

/** Not the name of an event or of a command, some of which read alike. */
function isRefusal({ text, parent }: ts.StringLiteral): boolean {
  const names = ts.isPropertyAssignment(parent) && /^(?:type|kind)$/.test(parent.name.getText());
  return Object.hasOwn(REJECTIONS, text) && !names;
}

function readModule(path: string): Module {
  const text = readFileSync(path, 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const declared = new Map<string, ts.Node>();
  const imported = new Map<string, { file: string; name: string }>();
  for (const statement of source.statements) {
    if (ts.isFunctionDeclaration(statement) && statement.name !== undefined) {
      declared.set(statement.name.text, statement);
    }
    if (ts.isVariableStatement(statement)) {
      for (const each of statement.declarationList.declarations) {
        if (ts.isIdentifier(each.name)) declared.set(each.name.text, each);
      }
    }
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier))
      continue;
    const specifier = statement.moduleSpecifier.text;
    const bindings = statement.importClause?.namedBindings;
    if (!specifier.startsWith('.') || bindings === undefined || !ts.isNamedImports(bindings))
      continue;
    const file = join(dirname(path), specifier.replace(/\.js$/, '.ts'));
    if (relative(SOURCES, file).startsWith('..')) continue;
    for (const { name, propertyName } of bindings.elements) {
      imported.set(name.text, { file, name: (propertyName ?? name).text });
    }
  }
  return { declared, imported };
}
