import { basename } from 'node:path';
import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import tseslint from 'typescript-eslint';

/** Where time, ids and randomness come in as arguments and nothing is read or written. */
const DOMAIN = [
  'src/**/domain/**/*.ts',
  // A2A's vocabulary: see .dependency-cruiser.cjs.
  'src/a2a/wire/{types,refusal,history}.ts',
  'src/a2a/routing/decision.ts',
];
const PURE = ['src/kernel/**/*.ts', ...DOMAIN];

/** Where time, ids and randomness come from: all else is given them. */
const SOURCES = [
  'src/{main,service}.ts',
  'src/{config,cli,wiring}/**/*.ts',
  'src/event-store/pooled-random-bytes.ts',
  // A request that says nothing of itself is known by a new id; what is logged, by its moment.
  'src/http/{correlation,client-error,fault-log}.ts',
];

/** One rule of our own: nobody has published it in the form that this house wants. */
const house = {
  rules: {
    'kebab-case-file': {
      create: (context) => ({
        Program(node) {
          const name = basename(context.filename);
          if (!/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name)) {
            context.report({ node, message: `File names are kebab-case: ${name}` });
          }
        },
      }),
    },
  },
};

const NO_DEFAULT_EXPORT = {
  selector: 'ExportDefaultDeclaration',
  message: 'Named exports only.',
};

/** But for constructors, and for parameters of theirs that are kept: neither can have a `#`. */
const ONE_WAY_TO_BE_PRIVATE = {
  selector:
    ':matches(MethodDefinition[kind!="constructor"], PropertyDefinition, AccessorProperty)[accessibility="private"]',
  message: 'Private members have a #: nobody reaches those at run time either.',
};

const LENGTH_IN_CODE_POINTS = {
  selector:
    'ImportDeclaration[source.value="class-validator"] > ImportSpecifier[imported.name=/Length$/]',
  message: 'It does not count as JSON Schema does: MaxCharacters of src/http/dto-checks.ts.',
};

/** In every file of ours. A later block's `no-restricted-syntax` takes the place of an earlier one's. */
const EVERYWHERE = [NO_DEFAULT_EXPORT, ONE_WAY_TO_BE_PRIVATE, LENGTH_IN_CODE_POINTS];

const NO_DEFAULT_CASE = {
  selector: 'SwitchCase[test=null]',
  message: 'List every case: a forgotten one must not compile.',
};

const NO_CLOCK = [
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'The time comes in as an argument.',
  },
  {
    selector: 'CallExpression[callee.name="Date"]',
    message: 'The time comes in as an argument.',
  },
];

const PLATFORM_GLOBALS = [
  'process',
  'performance',
  'crypto',
  'fetch',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'globalThis',
].map((name) => ({ name, message: 'Kernel and domain are pure: pass in what is needed.' }));

const NO_PROCESS_ENV = {
  object: 'process',
  property: 'env',
  message: 'Only src/config reads the environment.',
};

const NO_LOST_SIGNAL = {
  object: 'AbortSignal',
  property: 'any',
  message: 'It may never abort on node 20: use LinkedSignal.',
};

/** Each way in which SQLite names a parameter; `$1` is PostgreSQL's. */
const BARE_LIMIT = String.raw`/LIMIT\s+(\?|[@:]|\$[a-z_])/i`;
const NO_BARE_LIMIT = [
  `Literal[value=${BARE_LIMIT}]`,
  `TemplateElement[value.raw=${BARE_LIMIT}]`,
].map((selector) => ({
  selector,
  message: 'SQLite plans a statement anew each time a bare parameter limits it: LIMIT +?, +@name',
}));

const NO_CLOCK_OR_CHANCE = [
  { object: 'Date', property: 'now', message: 'The time comes in as an argument.' },
  { object: 'Math', property: 'random', message: 'Randomness comes in as an argument.' },
];

const RANDOM_VALUES = [
  'randomUUID',
  'randomBytes',
  'randomInt',
  'randomFill',
  'randomFillSync',
  'getRandomValues',
  'webcrypto',
];

const RANDOM_EXPORTS = [
  ...RANDOM_VALUES,
  'generateKey',
  'generateKeySync',
  'generateKeyPair',
  'generateKeyPairSync',
  'default',
];

const randomFrom = (importNames) => ({
  name: 'node:crypto',
  importNames,
  message: 'Randomness comes in as an argument.',
});

/** Tests that look at fewer things than they seem to, or at ones that nobody runs. */
const HONEST_TESTS = [
  {
    selector:
      'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(skip|only|todo|failing)$/]',
    message: 'Every test runs. What takes minutes is done when TEST_LONG=1 asks for it.',
  },
  {
    selector: 'CallExpression[callee.name=/^(fit|xit|xtest|fdescribe|xdescribe)$/]',
    message: 'Every test runs.',
  },
  {
    selector: 'MemberExpression[object.name="jest"][property.name=/[mM]ock|spyOn|^fn$/]',
    message: 'No stand-ins for our own parts: real files, real keys, real HTTP.',
  },
];

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'data/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,

  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    plugins: { house },
    rules: {
      'house/kebab-case-file': 'error',
      eqeqeq: 'error',
      'no-restricted-syntax': ['error', ...EVERYWHERE, ...NO_BARE_LIMIT],
      'no-restricted-properties': ['error', NO_PROCESS_ENV, NO_LOST_SIGNAL],
      'no-console': 'error',

      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        {
          allowDefaultCaseForExhaustiveSwitch: false,
          considerDefaultExhaustiveForUnions: false,
          requireDefaultForNonUnion: false,
        },
      ],

      // Files with decorators are left alone by this rule: Nest reads the types of constructor
      // parameters at run time, so those imports have to stay imports of values.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/consistent-type-exports': 'error',

      // Nest's modules are classes without members.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Figures in messages are what they look like.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // `string | Erased` says more than `string`.
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      // Classes of requests and answers are shapes with decorators: plain objects have them too.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // Takes an optional member for one that is always there, under exactOptionalPropertyTypes.
      '@typescript-eslint/no-useless-default-assignment': 'off',
      // Texts are counted and compared by code point, which is what spreading a string gives.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // An asynchronous port over a synchronous engine: `async` turns its throws into rejections.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
    },
  },

  {
    files: ['src/**/*.ts'],
    rules: {
      // A promise that is returned as it is takes two turns more of the queue than one that was awaited.
      '@typescript-eslint/return-await': ['error', 'always'],
    },
  },

  {
    files: ['src/**/*.ts'],
    ignores: SOURCES,
    rules: {
      'no-restricted-syntax': ['error', ...EVERYWHERE, ...NO_BARE_LIMIT, ...NO_CLOCK],
      'no-restricted-properties': ['error', NO_PROCESS_ENV, NO_LOST_SIGNAL, ...NO_CLOCK_OR_CHANCE],
      '@typescript-eslint/no-restricted-imports': ['error', { paths: [randomFrom(RANDOM_VALUES)] }],
    },
  },
  {
    files: PURE,
    rules: {
      'no-restricted-syntax': ['error', ...EVERYWHERE, ...NO_CLOCK],
      'no-restricted-globals': ['error', ...PLATFORM_GLOBALS],
      'no-restricted-properties': ['error', NO_PROCESS_ENV, NO_LOST_SIGNAL, ...NO_CLOCK_OR_CHANCE],
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          paths: [randomFrom(RANDOM_EXPORTS)],
          patterns: [{ regex: '^(?!node:)(crypto|fs|path|os|process)$', message: 'Say node:.' }],
        },
      ],
    },
  },
  {
    files: DOMAIN,
    rules: {
      'no-restricted-syntax': ['error', ...EVERYWHERE, NO_DEFAULT_CASE, ...NO_CLOCK],
    },
  },

  {
    // The program hands the environment to src/config, which reads it.
    files: ['src/config/**/*.ts', 'src/main.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['src/main.ts', 'src/cli/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...EVERYWHERE, ...HONEST_TESTS],
      // Answers are parsed JSON, and a test asserts what they are.
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      // A closure changes what the compiler takes for constant.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // `read<Shape>(answer)` names what the test expects.
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },

  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: {
        console: 'readonly',
        process: 'readonly',
        URL: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: { sourceType: 'commonjs' },
  },
  prettier,
);
