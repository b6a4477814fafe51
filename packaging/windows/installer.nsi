; The installer for Windows, for one person, without an administrator's rights. On Linux, macOS or Windows:
;   makensis -DVERSION=0.1.0 -DFOLDER=dist/paperchute -DOUT=paperchute-0.1.0-setup.exe packaging/windows/installer.nsi
; FOLDER is what packaging/bundle/paperchute.spec has built on Windows. Both programs in it, the installer and the
; uninstaller can be signed: give SIGN, a command in which %1 is the file (see docs/packages.md).
; People's files, rules, hot folders and the journal are never touched, by the uninstaller neither.
Target amd64-unicode ; as the program is
!include MUI2.nsh
!ifdef SIGN
  !finalize '${SIGN}'
  !uninstfinalize '${SIGN}'
!endif

!define KEY "Software\Microsoft\Windows\CurrentVersion\Uninstall\Paperchute"
Name "Paperchute"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\Paperchute"
RequestExecutionLevel user
SetCompressor /SOLID lzma
ManifestDPIAware true

!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\paperchute.exe" ; asks for the first hot folders, in a terminal
!define MUI_FINISHPAGE_RUN_PARAMETERS "init"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"
!insertmacro MUI_LANGUAGE "German"
!insertmacro MUI_LANGUAGE "French"
!insertmacro MUI_LANGUAGE "Spanish"
!insertmacro MUI_LANGUAGE "SimpChinese"

!macro REFUSE_WHILE_RUNNING UN
Function ${UN}refuseWhileRunning
  ; A program that runs cannot be written over: Windows keeps it open. It may be either: in a terminal it is the first.
  again:
    StrCpy $1 "$INSTDIR\paperchute.exe"
  next:
    IfFileExists "$1" 0 done
    ClearErrors
    FileOpen $0 "$1" a
    IfErrors runs
    FileClose $0
    StrCmp $1 "$INSTDIR\paperchutew.exe" done
    StrCpy $1 "$INSTDIR\paperchutew.exe"
    Goto next
  runs:
    MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "Paperchute is running. Quit it from its tray icon first." /SD IDCANCEL IDRETRY again
    SetErrorLevel 2 ; for whoever runs it with /S
    Abort
  done:
FunctionEnd
!macroend
!insertmacro REFUSE_WHILE_RUNNING ""
!insertmacro REFUSE_WHILE_RUNNING "un."

Section "Paperchute"
  Call refuseWhileRunning
  RMDir /r "$INSTDIR\_internal" ; of an older version
  SetOutPath "$INSTDIR"
  File /r "${FOLDER}/*.*"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateDirectory "$SMPROGRAMS\Paperchute"
  CreateShortcut "$SMPROGRAMS\Paperchute\Paperchute.lnk" "$INSTDIR\paperchutew.exe" "run"
  CreateShortcut "$SMPROGRAMS\Paperchute\Paperchute - first folders.lnk" "$INSTDIR\paperchute.exe" "init" "$INSTDIR\paperchutew.exe"
  WriteRegStr HKCU "${KEY}" "DisplayName" "Paperchute"
  WriteRegStr HKCU "${KEY}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${KEY}" "DisplayIcon" "$INSTDIR\paperchutew.exe"
  WriteRegStr HKCU "${KEY}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${KEY}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${KEY}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${KEY}" "NoModify" 1
  WriteRegDWORD HKCU "${KEY}" "NoRepair" 1
SectionEnd

Section "Uninstall"
  Call un.refuseWhileRunning
  nsExec::Exec '"$INSTDIR\paperchute.exe" autostart off'
  Pop $0
  nsExec::Exec '"$INSTDIR\paperchute.exe" sendto off'
  Pop $0
  RMDir /r "$INSTDIR\_internal"
  Delete "$INSTDIR\paperchute.exe"
  Delete "$INSTDIR\paperchutew.exe"
  Delete "$INSTDIR\uninstall.exe"
  RMDir "$INSTDIR" ; only if nothing else lies in it
  RMDir /r "$SMPROGRAMS\Paperchute"
  DeleteRegKey HKCU "${KEY}"
SectionEnd
