// SPDX-License-Identifier: BSD-2-Clause
/*
 * The intrinsics that can be disabled. JDKs differ; a name that a JDK does not have is harmless. These stay lower
 * bounds: Reference.get (the collectors need its barrier), Object.<init>, Method.invoke, anything about method
 * handles and continuations, and the Vector API.
 */
#include "user/jvm/intrinsics.h"
#include "filters/matcher.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTERPRETER_SINCE 21

#define CONCAT 0x1u
#define BOXING 0x2u

/*
 * Words of the form "method=NAME,NAME"; "method" alone means "_method". An overload of any type counts for all.
 * "!": the interpreter has code of its own for it, which cannot be disabled before INTERPRETER_SINCE.
 */
struct row {
	const char *class_name, *methods;
	unsigned int needs;
};

static const struct row rows[] = {
	{"java/lang/Math",
	 "!abs=_dabs,_fabs,_iabs,_labs addExact=_addExactI,_addExactL atan2=_datan2 cbrt=_dcbrt ceil "
	 "copySign=_dcopySign,_fcopySign !cos=_dcos decrementExact=_decrementExactI,_decrementExactL !exp=_dexp floor "
	 "!fma=_fmaD,_fmaF incrementExact=_incrementExactI,_incrementExactL !log=_dlog !log10=_dlog10 "
	 "max=_max,_maxF,_maxD,_maxL min=_min,_minF,_minD,_minL multiplyExact=_multiplyExactI,_multiplyExactL "
	 "multiplyHigh negateExact=_negateExactI,_negateExactL !pow=_dpow rint round=_roundD,_roundF "
	 "signum=_dsignum,_fsignum !sin=_dsin sinh=_dsinh !sqrt=_dsqrt subtractExact=_subtractExactI,_subtractExactL "
	 "!tan=_dtan tanh=_dtanh unsignedMultiplyHigh",
	 0},
	{"java/lang/StrictMath",
	 "max=_max_strict,_maxF_strict,_maxD_strict min=_min_strict,_minF_strict,_minD_strict sqrt=_dsqrt_strict", 0},
	{"java/lang/Integer",
	 "bitCount=_bitCount_i compareUnsigned=_compareUnsigned_i compress=_compress_i divideUnsigned=_divideUnsigned_i "
	 "expand=_expand_i numberOfLeadingZeros=_numberOfLeadingZeros_i numberOfTrailingZeros=_numberOfTrailingZeros_i "
	 "remainderUnsigned=_remainderUnsigned_i reverse=_reverse_i reverseBytes=_reverseBytes_i",
	 0},
	{"java/lang/Integer", "toString=_Integer_toString", CONCAT},
	{"java/lang/Long",
	 "bitCount=_bitCount_l compareUnsigned=_compareUnsigned_l compress=_compress_l divideUnsigned=_divideUnsigned_l "
	 "expand=_expand_l numberOfLeadingZeros=_numberOfLeadingZeros_l numberOfTrailingZeros=_numberOfTrailingZeros_l "
	 "remainderUnsigned=_remainderUnsigned_l reverse=_reverse_l reverseBytes=_reverseBytes_l",
	 0},
	{"java/lang/Float",
	 "float16ToFloat floatToFloat16 floatToIntBits isFinite=_floatIsFinite isInfinite=_floatIsInfinite", 0},
	{"java/lang/Double", "doubleToLongBits isFinite=_doubleIsFinite isInfinite=_doubleIsInfinite", 0},
	{"java/lang/Character", "reverseBytes=_reverseBytes_c", 0},
	{"java/lang/Short", "reverseBytes=_reverseBytes_s", 0},
	{"java/lang/Boolean", "booleanValue valueOf=_Boolean_valueOf", BOXING},
	{"java/lang/Byte", "byteValue valueOf=_Byte_valueOf", BOXING},
	{"java/lang/Character", "charValue valueOf=_Character_valueOf", BOXING},
	{"java/lang/Short", "shortValue valueOf=_Short_valueOf", BOXING},
	{"java/lang/Integer", "intValue valueOf=_Integer_valueOf", BOXING},
	{"java/lang/Long", "longValue valueOf=_Long_valueOf", BOXING},
	{"java/lang/Float", "floatValue valueOf=_Float_valueOf", BOXING},
	{"java/lang/Double", "doubleValue valueOf=_Double_valueOf", BOXING},
	{"java/lang/CharacterDataLatin1", "isDigit isLowerCase isUpperCase isWhitespace", 0},
	{"java/lang/Class", "cast=_Class_cast", 0},
	{"java/lang/String", "<init>=_String_String", CONCAT},
	{"java/lang/StringBuilder",
	 "<init>=_StringBuilder_void,_StringBuilder_int,_StringBuilder_String "
	 "append=_StringBuilder_append_char,_StringBuilder_append_int,_StringBuilder_append_String "
	 "toString=_StringBuilder_toString",
	 CONCAT},
	{"java/lang/StringBuffer",
	 "<init>=_StringBuffer_void,_StringBuffer_int,_StringBuffer_String "
	 "append=_StringBuffer_append_char,_StringBuffer_append_int,_StringBuffer_append_String "
	 "toString=_StringBuffer_toString",
	 CONCAT},
	{"java/lang/StringCoding",
	 "countPositives hasNegatives implEncodeAsciiArray=_encodeAsciiArray implEncodeISOArray=_encodeByteISOArray "
	 "countPositives0=_countPositives encodeAsciiArray0=_encodeAsciiArray encodeISOArray0=_encodeByteISOArray",
	 0},
	{"java/lang/StringLatin1",
	 "compareTo=_compareToL compareToUTF16=_compareToLU equals=_equalsL indexOf=_indexOfL,_indexOfIL "
	 "indexOfChar=_indexOfL_char inflate=_inflateStringC,_inflateStringB "
	 "compareTo0=_compareToL compareToUTF16_0=_compareToLU equals0=_equalsL indexOf0=_indexOfL,_indexOfIL "
	 "indexOfChar0=_indexOfL_char inflate0=_inflateStringC,_inflateStringB",
	 0},
	{"java/lang/StringUTF16",
	 "compareTo=_compareToU compareToLatin1=_compareToUL compress=_compressStringC,_compressStringB equals=_equalsU "
	 "getChar=_getCharStringU getChars=_getCharsStringU indexOf=_indexOfU,_indexOfIU indexOfChar=_indexOfU_char "
	 "indexOfLatin1=_indexOfUL,_indexOfIUL putChar=_putCharStringU toBytes=_toBytesStringU "
	 "compareTo0=_compareToU compareToLatin1_0=_compareToUL compress0=_compressStringC,_compressStringB "
	 "getChars0=_getCharsStringU indexOf0=_indexOfU,_indexOfIU indexOfChar0=_indexOfU_char "
	 "indexOfLatin1_0=_indexOfUL,_indexOfIUL toBytes0=_toBytesStringU",
	 0},
	{"java/lang/Thread", "onSpinWait", 0},
	{"java/math/BigInteger",
	 "implMultiplyToLen=_multiplyToLen implSquareToLen=_squareToLen implMulAdd=_mulAdd "
	 "implMontgomeryMultiply=_montgomeryMultiply implMontgomerySquare=_montgomerySquare "
	 "shiftRightImplWorker=_bigIntegerRightShiftWorker shiftLeftImplWorker=_bigIntegerLeftShiftWorker",
	 0},
	{"java/nio/Buffer", "checkIndex", 0},
	{"java/util/Arrays", "copyOf copyOfRange equals=_equalsB,_equalsC", 0},
	{"java/util/Base64$Decoder", "decodeBlock=_base64_decodeBlock", 0},
	{"java/util/Base64$Encoder", "encodeBlock=_base64_encodeBlock", 0},
	{"java/util/DualPivotQuicksort", "partition=_arrayPartition sort=_arraySort", 0},
	{"java/util/zip/CRC32C", "updateBytes=_updateBytesCRC32C updateDirectByteBuffer=_updateDirectByteBufferCRC32C",
	 0},
	{"jdk/internal/util/ArraysSupport",
	 "vectorizedHashCode vectorizedMismatch vectorizedMismatchInternal=_vectorizedMismatch", 0},
	{"jdk/internal/util/Preconditions", "checkIndex=_Preconditions_checkIndex,_Preconditions_checkLongIndex", 0},
	{"jdk/internal/misc/Unsafe",
	 "compareAndExchangeByte compareAndExchangeByteAcquire compareAndExchangeByteRelease "
	 "compareAndExchangeIntAcquire compareAndExchangeIntRelease compareAndExchangeLongAcquire "
	 "compareAndExchangeLongRelease compareAndExchangeReferenceAcquire compareAndExchangeReferenceRelease "
	 "compareAndExchangeShort compareAndExchangeShortAcquire compareAndExchangeShortRelease compareAndSetByte "
	 "compareAndSetShort getAndAddByte getAndAddInt getAndAddLong getAndAddShort getAndSetByte getAndSetInt "
	 "getAndSetLong getAndSetReference getAndSetShort weakCompareAndSetByte weakCompareAndSetByteAcquire "
	 "weakCompareAndSetBytePlain weakCompareAndSetByteRelease weakCompareAndSetInt weakCompareAndSetIntAcquire "
	 "weakCompareAndSetIntPlain weakCompareAndSetIntRelease weakCompareAndSetLong weakCompareAndSetLongAcquire "
	 "weakCompareAndSetLongPlain weakCompareAndSetLongRelease weakCompareAndSetReference "
	 "weakCompareAndSetReferenceAcquire weakCompareAndSetReferencePlain weakCompareAndSetReferenceRelease "
	 "weakCompareAndSetShort weakCompareAndSetShortAcquire weakCompareAndSetShortPlain weakCompareAndSetShortRelease",
	 0},
	{"sun/nio/cs/ISO_8859_1$Encoder", "implEncodeISOArray=_encodeISOArray encodeISOArray0=_encodeISOArray", 0},
	{"sun/security/provider/DigestBase", "implCompressMultiBlock0=_digestBase_implCompressMB", 0},
	{"sun/security/provider/MD5", "implCompress0=_md5_implCompress", 0},
	{"sun/security/provider/SHA", "implCompress0=_sha_implCompress", 0},
	{"sun/security/provider/SHA2", "implCompress0=_sha2_implCompress", 0},
	{"sun/security/provider/SHA3", "implCompress0=_sha3_implCompress", 0},
	{"sun/security/provider/SHA5", "implCompress0=_sha5_implCompress", 0},
	{"com/sun/crypto/provider/AESCrypt",
	 "implEncryptBlock=_aescrypt_encryptBlock implDecryptBlock=_aescrypt_decryptBlock", 0},
	{"com/sun/crypto/provider/CipherBlockChaining",
	 "implEncrypt=_cipherBlockChaining_encryptAESCrypt implDecrypt=_cipherBlockChaining_decryptAESCrypt", 0},
	{"com/sun/crypto/provider/CounterMode", "implCrypt=_counterMode_AESCrypt", 0},
	{"com/sun/crypto/provider/ElectronicCodeBook",
	 "implECBEncrypt=_electronicCodeBook_encryptAESCrypt implECBDecrypt=_electronicCodeBook_decryptAESCrypt", 0},
	{"com/sun/crypto/provider/GaloisCounterMode", "implGCMCrypt0=_galoisCounterMode_AESCrypt", 0},
	{"com/sun/crypto/provider/GHASH", "processBlocks=_ghash_processBlocks", 0},
	{"com/sun/crypto/provider/Poly1305", "processMultipleBlocks=_poly1305_processBlocks", 0},
	{"com/sun/crypto/provider/ChaCha20Cipher", "implChaCha20Block=_chacha20Block", 0},
};

/* A word of a row. */
struct word {
	const char *method, *names; /* not 0-terminated; no names: "_method" */
	size_t method_length, names_length;
	bool interpreter;
};

static const char *next_word(const char *at, struct word *w)
{
	size_t length;

	at += strspn(at, " ");
	if (!*at)
		return NULL;
	w->interpreter = *at == '!';
	at += w->interpreter;
	length = strcspn(at, " ");
	w->method = at;
	w->method_length = strcspn(at, "= ");
	w->names = at + w->method_length + 1;
	w->names_length = length > w->method_length ? length - w->method_length - 1 : 0;
	return at + length;
}

static int intrinsics_add(struct intrinsics *chosen, const struct row *row, const struct word *w, struct diag *d)
{
	size_t names = strlen(chosen->names), methods = strlen(chosen->methods);
	size_t more_methods = snprintf(chosen->methods + methods, sizeof(chosen->methods) - methods, "%s.%.*s\n",
				       row->class_name, (int)w->method_length, w->method);
	size_t more_names = snprintf(chosen->names + names, sizeof(chosen->names) - names, "%s%s%.*s", names ? "," : "",
				     w->names_length ? "" : "_", (int)(w->names_length ?: w->method_length),
				     w->names_length ? w->names : w->method);

	chosen->concat |= !!(row->needs & CONCAT);
	chosen->boxing |= !!(row->needs & BOXING);
	return methods + more_methods < sizeof(chosen->methods) && names + more_names < sizeof(chosen->names)
		       ? 0
		       : diag_set(d, E2BIG, "too many intrinsics");
}

static bool is_selected(const struct matcher *p, const struct row *row, const struct word *w)
{
	struct matcher_method m = {.class_name = {row->class_name, strlen(row->class_name)},
				   .name = {w->method, w->method_length},
				   .descriptor = {"", 0}};
	struct matcher_decision v = matcher_decide(p, &m);

	return v.trace || v.timing;
}

static int choose_of(struct intrinsics *chosen, const struct row *row, const struct matcher *p, int jdk_version,
		     struct diag *d)
{
	const char *at = row->methods;
	struct word w;
	int err = 0;

	while (!err && (at = next_word(at, &w)))
		if (is_selected(p, row, &w) && (!w.interpreter || jdk_version >= INTERPRETER_SINCE))
			err = intrinsics_add(chosen, row, &w, d);
	return err;
}

int intrinsics_choose(struct intrinsics *chosen, const struct filter_list *filters, int jdk_version, struct diag *d)
{
	struct matcher p = {0};
	void *program = NULL;
	int err = filter_list_compile(filters, &program, &p.size, d);

	memset(chosen, 0, sizeof(*chosen));
	p.program = program;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !err; i++)
		err = choose_of(chosen, &rows[i], &p, jdk_version, d);
	free(program);
	return err;
}
