import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

const { SourceTextModule, compileFunction, createContext, constants } = vm;

/** What V8 made of a source, for the next suite of this worker: Jest compiles each module anew for each suite. */
const compiled = new Map();

vm.SourceTextModule = class extends SourceTextModule {
  constructor(source, options) {
    const cachedData = compiled.get(source);
    super(source, { ...options, cachedData });
    // A suite is loaded once.
    if (!cachedData && !options.identifier.endsWith('.test.ts'))
      compiled.set(source, this.createCachedData());
  }
};

vm.compileFunction = (source, parameters, options) => {
  const cachedData = compiled.get(source);
  const made = compileFunction(source, parameters, {
    ...options,
    cachedData,
    produceCachedData: !cachedData,
  });
  if (made.cachedData) compiled.set(source, made.cachedData);
  return made;
};

/**
 * Jest's environment for Node, with an ordinary global object. Jest puts a proxy behind it, through which each use of
 * `Uint8Array`, `Error` or `parseInt` goes: that took a fifth of the CPU of the tests.
 */
export default class OrdinaryGlobals extends TestEnvironment {
  constructor(...given) {
    let isOrdinary = false;
    vm.createContext = () => {
      isOrdinary = true;
      return createContext(constants.DONT_CONTEXTIFY);
    };
    try {
      super(...given);
    } finally {
      vm.createContext = createContext;
    }
    if (!isOrdinary) throw new Error('jest-environment-node makes its context in another way');
  }
}
